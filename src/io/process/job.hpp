/// \file
/// Runs commands of the user next to this program, and ends them with it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace seqpoint::io::process {

/// How to start a command.
struct Command {
  std::vector<std::string> words;                                ///< program and arguments
  std::vector<std::pair<std::string, std::string>> environment;  ///< set in addition to this program's environment
  std::string log;                                               ///< receives all output; truncated first
  std::string scratch;                                           ///< a folder that is removed at the end; may be empty
  double grace_s = 5;                                            ///< from SIGTERM to SIGKILL
};

/// A command and all its descendants. A small process of ours, the keeper, is their parent: it ends them all when this
/// program ends, also by SIGKILL, and adopts those that left the command's process group or session. The command itself
/// ends if the keeper ends. Standard input is /dev/null. They stay in this program's session, and so in its group of
/// the scheduler. One at a time.
class Job {
 public:
  /// Throws OutputError if the log cannot be written, std::system_error if no process can be created.
  explicit Job(const Command&);
  ~Job() { end(); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// The command's exit status, in a shell's form (128 + N after signal N; 127: not started), once the command and all
  /// its descendants have ended; nothing before. Does not wait. If the command fails, its descendants are ended.
  std::optional<int> status();
  /// Ends all remaining processes, by SIGTERM, then after Command::grace_s by SIGKILL. Returns when none is left, at
  /// most 30 s after SIGKILL. If processes were running, status() then is 128 + SIGTERM.
  void end();

 private:
  std::optional<int> status_;
};

/// Job::end() for a signal handler: waits as well. Does nothing if no job is running.
void end_job() noexcept;

/// The program that a shell would start under that name: an executable path if it contains a slash, else in PATH. Empty
/// if there is none.
std::string path_of_program(const std::string& name);

}  // namespace seqpoint::io::process
