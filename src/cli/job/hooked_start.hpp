/// \file
/// Starts of the user's command, with the companion inside.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/job/run.hpp"
#include "cli/job/run_folder.hpp"
#include "io/artifacts/run_record.hpp"
#include "io/process/hook_report.hpp"
#include "io/process/inventory.hpp"

namespace seqpoint::cli::job {

/// The purpose of one start of a build's command.
struct HookedStart {
  std::string verb;                   ///< order, measure or record
  std::uint64_t process = 0;          ///< for measure, from 1
  std::string output, log;            ///< file names in the folder
  std::string plan = {};              ///< for measure and record: a path; empty: none
  std::uint64_t planned_process = 0;  ///< for measure: the process of the plan
  /// For measure: the folder of its duet, in which another start takes turns with it, and which of the two this is.
  /// Empty: it runs alone.
  std::string duet = {};
  std::size_t side = 0;
  /// For order: the file name of the measurements to which it may go on, as the first process; empty: it ends.
  std::string goes_on = {};
  /// Called once the folder has the order, while the job waits. Returns the plan's path; empty: the job ends.
  std::function<std::string()> at_order = {};
};

/// A job without a result.
class JobFailed : public std::runtime_error {
 public:
  JobFailed(const std::string& text, std::string hint, std::string log, Exit status, std::string build)
      : std::runtime_error(text),
        hint_(std::move(hint)),
        log_(std::move(log)),
        build_(std::move(build)),
        status_(status) {}
  const std::string& hint() const { return hint_; }    ///< may be empty
  const std::string& log() const { return log_; }      ///< the path
  const std::string& build() const { return build_; }  ///< whose job it was
  Exit status() const { return status_; }              ///< exit status of the command

 private:
  std::string hint_, log_, build_;
  Exit status_;
};

/// The last lines of the log without secrets, at most ten, and of a long one its ends. A line is what a terminal shows
/// of it: the text after its last carriage return.
std::vector<std::string> last_lines(const JobFailed&, const io::text::Secrets&);

/// Prints last_lines(), also with -qq, and the reason as an error.
void tell(const JobFailed&, const io::text::Secrets&, Console&);

/// A build and a start of its command.
struct StartOfBuild {
  const io::artifacts::Build& build;
  HookedStart start;
};

/// Runs the commands at the same time until the result of each is complete and has its final name in the folder, and
/// records the starts in their order; one that has gone on to measure as two. Throws JobFailed, and what at_order
/// throws: once all have ended, and the results of those that have one are kept; other failures are warnings then.
void run_hooked(const RunRequest&, std::vector<StartOfBuild>, RunFolder&, Console&);

// --- the user's files under a job: what it changed for itself only, and what it really changed

/// The old files and folders that stayed as they were although the job has changed or removed them, by their paths in
/// the working folder. What is in another of them is left out.
std::vector<std::string> kept_by(const io::process::HookReport&);
/// What the job, or another program meanwhile, has really changed: "history.db was changed".
std::vector<std::string> changes_by(const io::process::HookReport&, const io::process::Inventory& before);
/// The new files and folders that stay, by their paths in the working folder. What is in another of them is left out.
std::vector<std::string> staying_of(const io::process::NewFiles&);
/// "log.csv stays: it is not as the job left it". Empty if none stays.
std::string staying_text(const std::vector<std::string>& staying);
/// At most three of them, and the number of the others.
std::string listed(std::vector<std::string> texts);
/// "best.pt and runs/exp1 stayed as they were; history.db was changed; 3 new files were removed; log.csv stays: it is
/// not as the job left it", of all starts. Empty if there is none of these.
std::string files_text(const std::vector<io::artifacts::JobStart>&);

}  // namespace seqpoint::cli::job
