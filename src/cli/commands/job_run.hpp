/// \file
/// A run from its first job to its result.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/project.hpp"
#include "cli/commands/run.hpp"
#include "cli/commands/run_folder.hpp"
#include "cli/commands/run_process.hpp"
#include "cli/commands/run_text.hpp"
#include "core/run/price.hpp"
#include "core/run/stretch.hpp"

namespace seqpoint::cli::commands {

class JobRun {
 public:
  /// The arguments belong to the caller, and outlive this object.
  JobRun(const RunRequest&, RunFolder&, Console&);

  /// Collects orders, points and plans, then measures in processes by turns until the rule stops it, then writes the
  /// result.
  Exit measure();
  /// Times a whole epoch of each build and, if all builds have been measured, reports the error of their projections.
  /// Recorded epochs are kept.
  Exit record();

 private:
  /// A build with its files. Builds with equal orders share points and plan.
  struct Member {
    const io::artifacts::Build& build;
    std::string order = {}, points = {}, plan = {};  ///< paths
    trace::RunSummary epoch = {};
    std::uint64_t processes = 0;  ///< number of processes that have measured
    double last_batches_s = 0;    ///< seconds of the batches of the last of them
  };
  /// The projection of all builds that have measured.
  struct Outcome {
    std::vector<Projected> parts;  ///< one, or one per build if orders differ
    project::Projection projection;
    project::Gates gates;
  };

  std::string named(const Member&, const char* file) const;
  /// File name of the measurements of a process (from 1): "old-1.csv".
  std::string profile_name(const Member&, std::uint64_t process) const;
  /// Sets the build's order: the file of --order, else one that a start of the job records, unless the folder has it.
  void make_order(Member&);
  /// Sets `shared_`. If orders differ, warns, and throws UsageError for exports that need one set of points.
  void compare_orders();
  /// Sets points, plan and epoch of a build; makes the files unless the folder has them.
  void make_points(Member&);
  void report_epoch(const Member&, const select::Selection&);

  seqpoint::run::Stop take_turns();
  bool may_take_epochs() const;
  void take_epochs(const std::string& why);
  void report_floor(const Outcome&) const;
  void report_speed(std::vector<Finding>&);
  double seconds_of(const Member&) const;
  seqpoint::run::Price price_of(const Member&, const Outcome&) const;
  seqpoint::run::Way choose_way(const Outcome&);
  seqpoint::run::Stop worth(std::uint64_t processes, const Outcome&) const;
  ProcessResult examine(const Member&, std::uint64_t process);
  /// The stretches of one build, or of all if `build` is empty.
  std::map<std::string, seqpoint::run::Stretch> stretches(const std::string& build = {}) const;
  void widen(Projected&) const;
  /// Measures in the process of a turn, unless the folder has its measurements. Throws JobFailed.
  void take(const seqpoint::run::Turn&);
  void say_so_far(const Outcome&) const;
  /// Returns whether the process's stretch is off, which is not in `outcome` yet.
  bool report_process(const seqpoint::run::Turn&, const Outcome&);
  /// The chance of error of the look after `processes` processes of each build; nothing if it decides nothing.
  std::optional<double> alpha_of(std::uint64_t processes) const;
  /// Whether these results end the run. Records what the look spends.
  seqpoint::run::Stop look(std::uint64_t processes, std::optional<double> alpha, const Outcome&);
  /// The part of the stopping rule's input that does not depend on results: processes, seconds so far and of a round.
  seqpoint::run::Standing standing(std::uint64_t processes) const;

  /// Projects all builds that have measured: together, or each by its own points if orders differ. `alpha`: chance of
  /// error of intervals and verdicts; 0: without verdicts.
  Outcome project(Console&, double alpha = seqpoint::run::kAlpha) const;
  /// Replaces verdicts by those of the last look, which are of another confidence than the intervals.
  void set_verdicts(Outcome&);
  Outcome project_so_far(const seqpoint::run::Turn&, double alpha);
  /// Writes and reports the result. kGateFailed if a gate fails or measurements are insufficient, else kDone.
  Exit write_result(seqpoint::run::Stop);
  ResultForms write_part(Projected&, const std::string& prefix, const io::views::PageTexts&);
  /// Seconds of all starts that measured, with start-up.
  double seconds_measured() const;
  /// Projections of each epoch; empty unless there are several.
  std::vector<project::Projection> project_epochs(const Outcome&) const;
  /// What the jobs' starts kept from the user's files and services, each once.
  std::vector<std::string> untouched() const;
  void warn_of_price(const Outcome&) const;
  ResultFacts facts_of(const Outcome&, seqpoint::run::Stop) const;
  /// The texts of the page: all warnings, the next step, the commands and the machine.
  io::views::PageTexts page_texts(const Outcome&, const ResultFacts&) const;

  const RunRequest& request_;
  RunFolder& folder_;
  Console& console_;
  Console stages_, silent_;  ///< console for stages, which prints warnings only; console without output
  std::vector<Member> members_;
  bool shared_ = true;  ///< whether all builds have one order
  seqpoint::run::Way way_ = seqpoint::run::Way::points;
  std::vector<NamedFile> truths_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace seqpoint::cli::commands
