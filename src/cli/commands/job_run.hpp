/// \file
/// A run from its first job to its result.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/commands/project.hpp"
#include "cli/commands/run.hpp"
#include "cli/commands/run_folder.hpp"

namespace seqpoint::cli::commands {

class JobRun {
 public:
  /// The arguments belong to the caller, and outlive this object.
  JobRun(const RunRequest&, RunFolder&, Console&);

  /// Collects orders, points and plans, then measures in processes by turns until the rule stops it, then writes the
  /// result.
  Exit measure();
  /// Times whole epochs, and reports the error of their projection, if there is one.
  Exit record();

 private:
  /// A build with its files. Builds with equal orders share points and plan.
  struct Member {
    const Build& build;
    std::string order = {}, points = {}, plan = {};  ///< paths
    trace::RunSummary epoch = {};
    std::uint64_t processes = 0;  ///< number of processes that have measured
  };
  /// The projection of all builds that have measured.
  struct Outcome {
    std::vector<Projected> parts;  ///< one, or one per build if orders differ
    project::Projection projection;
    project::Gates gates;
  };

  std::string named(const Member&, const char* file) const;
  std::string profile_name(const Member&, std::uint64_t process) const;
  void make_order(Member&);
  void compare_orders();
  void make_points(Member&);
  void report_epoch(const Member&, const select::Selection&);

  seqpoint::run::Stop take_turns();
  void take(const seqpoint::run::Turn&);
  void report_process(const seqpoint::run::Turn&, const Outcome&);
  seqpoint::run::Standing standing(std::uint64_t processes, const Outcome&) const;

  Outcome project(Console&, double confidence = seqpoint::run::kConfidence) const;
  Outcome project_so_far(const seqpoint::run::Turn&);
  Exit write_result(seqpoint::run::Stop);
  ResultForms write_part(Projected&, const std::string& prefix);
  double seconds_measured() const;
  void warn_of_price(const Outcome&) const;
  std::string text_of(const Outcome&, seqpoint::run::Stop) const;

  const RunRequest& request_;
  RunFolder& folder_;
  Console& console_;
  Console stages_, silent_;  ///< console for stages, which prints warnings only; console without output
  std::vector<Member> members_;
  bool shared_ = true;  ///< whether all builds have one order
  std::vector<NamedFile> truths_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace seqpoint::cli::commands
