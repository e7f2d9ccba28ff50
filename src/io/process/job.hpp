/// \file
/// Runs commands of the user next to this program, and ends them with it, with the companion in them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace seqpoint::io::process {

struct JobSlot;

/// Jobs that may run at a time.
inline constexpr std::size_t kMostJobs = 64;

/// How to start a command.
struct Command {
  std::vector<std::string> words;                                ///< program and arguments
  std::vector<std::pair<std::string, std::string>> environment;  ///< set in addition to this program's environment
  std::string log;                                               ///< receives all output; truncated first
  std::string scratch;    ///< a folder that is removed at the end, with the new files that it lists; may be empty
  std::string new_files;  ///< then gets their paths, for read_new_files(); may be empty
  std::string report;     ///< a new file for the events of the job's processes
  double grace_s = 5;     ///< from SIGTERM to SIGKILL
};

/// A command and all its descendants. A small process of ours, the keeper, is their parent: it ends them all when this
/// program ends, also by SIGKILL, and adopts those that left the command's process group or session. If the keeper is
/// killed, this program adopts them and ends them. Standard input is /dev/null. They stay in this program's session,
/// and so in its group of the scheduler. At most kMostJobs at a time, made and ended by one thread, in a program
/// without other children.
class Job {
 public:
  /// Makes the report, which is locked (flock) and there as long as this object: so the job's processes, and others
  /// that inherit its environment, know whether anyone waits for them. Throws OutputError if the log or the report
  /// cannot be written, std::system_error if no process can be created, std::length_error if kMostJobs are running.
  explicit Job(const Command&);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// The command's exit status, in a shell's form (128 + N after signal N; 127: not started), once the command and all
  /// its descendants have ended; nothing before. Does not wait. If the command fails, its descendants are ended.
  std::optional<int> status();
  /// Ends all remaining processes, by SIGTERM, then after Command::grace_s by SIGKILL. Returns when none is left, at
  /// most 30 s after SIGKILL. If processes were running, status() then is 128 + SIGTERM.
  void end();
  /// Processes that could not be ended, once status() has a value: of another user, or waiting for a device.
  std::vector<pid_t> left() const;

 private:
  std::optional<int> status_;
  std::string report_;
  int report_file_;
  JobSlot& slot_;
};

/// Job::end() of all jobs for a signal handler, which ends the program: waits as well, and removes the reports, as the
/// keepers do if the program is killed. Does nothing if no job is running.
void end_jobs() noexcept;

/// Ends all other processes whose environment has the entry `NAME=VALUE`: SIGTERM, then SIGKILL after a second, until
/// none is left, at most for ten seconds. Returns those that are left. Sees the processes of this user, except those
/// that a scheduler has started in another job.
std::vector<pid_t> end_processes_with(const std::string& entry);

/// Identifies the running kernel of this machine: only its processes see each other's locks on every file system.
std::string kernel_id();
/// Whether this program's standard input, a pipe, socket or file, has content that waits: no job gets any of it.
bool has_unread_input();

/// The program that a shell would start under that name: an executable path if it contains a slash, else in PATH. Empty
/// if there is none.
std::string path_of_program(const std::string& name);

/// The companion's folder `seqpoint_companion/hook` for a program at that absolute path; nothing if there is none.
/// Layouts, from the program's folder upwards: an installation (`share/seqpoint/python`), a source tree with a
/// build folder (`python`), a virtual or conda environment or `pip install --user` (`lib/python3.X/site-packages`;
/// Debian's pip: `local/lib` and `dist-packages`), `pip install --target`. If several versions of Python have it,
/// the highest.
std::optional<std::string> hook_folder_of(const std::string& program);

/// The same for this program; SEQPOINT_COMPANION, the folder that contains seqpoint_companion, precedes. Throws
/// UsageError if there is none.
std::string hook_folder();

}  // namespace seqpoint::io::process
