/// \file
/// A run under way: its builds with their files, and projections of what was measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/project.hpp"
#include "cli/job/run.hpp"
#include "cli/job/run_folder.hpp"
#include "core/measuring/price.hpp"
#include "core/measuring/stretch.hpp"
#include "core/measuring/utilisation.hpp"

namespace seqpoint::cli::job {

/// A build with its files. Builds with equal orders share points and plan.
struct Member {
  const io::artifacts::Build& build;
  std::string order = {}, points = {}, plan = {};  ///< paths
  trace::RunSummary epoch = {};
  std::uint64_t planned = 0;    ///< batches that two processes run of the plan
  std::uint64_t processes = 0;  ///< number of processes that have measured
  double last_s = 0,            ///< seconds of the last process that measured, with start-up
      last_batches_s = 0;       ///< of these, the seconds of its batches, of the plan and of the stretch
};

/// The projection of all builds that have measured.
struct Outcome {
  std::vector<Projected> parts;  ///< one, or one per build if orders differ
  project::Projection projection;
  project::Gates gates;
  double alpha = measuring::kAlpha;  ///< chance of error of intervals and verdicts; 0: there are no verdicts
  measuring::Stop stopped = measuring::Stop::go_on;  ///< why measuring ended; go_on: it did not

  /// The build's figures. It has measured.
  const project::ConfigurationProjection& of(const Member&) const;
};

/// The arguments of the constructor belong to the caller, and outlive this object.
struct RunState {
  RunState(const RunRequest&, RunFolder&, Console&);

  const RunRequest& request;
  RunFolder& folder;
  Console& console;
  Console stages, silent;  ///< console for stages, which prints warnings only; console without output
  std::vector<Member> members;
  bool shared = true;     ///< whether all builds have one order
  bool goes_on = false;   ///< whether the job that has made the order may go on to measure, in place of another start
  bool prepared = false;  ///< whether points, plans and the way are chosen
  measuring::Way way = measuring::Way::points;
  std::vector<NamedFile> truths;

  /// The name of a build's file: "order.csv", or "old-order.csv" if there are several builds.
  std::string named(const Member&, const char* file) const;
  /// The path of the build's plan; empty if the folder has none yet.
  std::string plan_of(const Member&) const;
  /// File name of the measurements of a process (from 1): "old-1.csv".
  std::string profile_name(const Member&, std::uint64_t process) const;
  /// Names of the measurements of a process that the folder has: its own, and those of its repetition.
  std::vector<std::string> profiles_of(const Member&, std::uint64_t process) const;
  /// The record of the start that made a file; null if there is none.
  const io::artifacts::JobStart* start_of(const std::string& output) const;
  /// Seconds of a start that measured, as if it were one of its own.
  double alone_s(const io::artifacts::JobStart&) const;
  /// Mean seconds of the starts that measured, points or whole epochs, with start-up; 0: there is none.
  double seconds_of_start() const;

  /// Projects all builds that have measured: together, or each by its own points if orders differ.
  Outcome project();
  /// The rounds of turns by the path of the process that measured in them; of a repeated one the repetition.
  std::map<std::string, std::uint64_t> rounds() const;
  /// Projects the same measurements with another chance of error.
  void set_alpha(Outcome&, double alpha);
  /// The work of a token and the peak of the build's devices; nothing: one of them is not known.
  std::optional<project::ModelWork> work_of(const Member&) const;
  std::uint64_t ranks_of(const Member&) const;
  /// The stretches of one build, or of all if `build` is empty, by the file of their batches.
  std::map<std::string, measuring::Stretch> stretches(const std::string& build = {}) const;
  /// Extends the intervals that a stretch contradicts. Returns whether one does.
  bool widen(project::Projection&) const;
  /// The mean share of page faults in the measured batches of a build's processes.
  double page_faults(const std::string& build) const;
  /// Extends the intervals of epochs down to those without page faults: a young process has more of them. Called
  /// once, for the result: builds have them alike, so speedups and verdicts stay, and no further process would help.
  void allow_for_faults(project::Projection&) const;
  /// Extends the intervals of parts that a stretch contradicts, and checks limits by them. Sets the utilisation of
  /// devices, and joins the parts.
  void conclude(Outcome&) const;
};

/// The name of the repetition of a process that was disturbed: "old-1.anew.csv" of "old-1.csv".
std::string repetition_of(const std::string& profile);

}  // namespace seqpoint::cli::job
