/// \file
/// A run under way: its builds with their files, projections of what was measured, and the parts of its work.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/project.hpp"
#include "cli/job/run.hpp"
#include "cli/job/run_folder.hpp"
#include "core/measuring/duets.hpp"
#include "core/measuring/price.hpp"
#include "core/measuring/utilisation.hpp"
#include "io/artifacts/files.hpp"

namespace seqpoint::cli::job {

/// A build with its files. Builds with equal orders share points and plan.
struct Member {
  const io::artifacts::Build& build;
  std::string order = {}, points = {}, plan = {};  ///< paths
  trace::RunSummary epoch = {};
  std::uint64_t planned = 0;    ///< batches that two processes run of the plan
  double planned_work = 0;      ///< these in batches of the epoch's mean size
  std::uint64_t processes = 0;  ///< number of processes that have measured
  double last_s = 0,            ///< seconds of the last process that measured, with start-up
      last_batches_s = 0;       ///< of these, the seconds of its batches, of the plan and of the stretch
  bool draws_are_said = false;  ///< whether the user knows how much the epochs differ that starts draw
  std::optional<project::Interval> last_interval = {};  ///< of the epoch, after that process
};

/// The projection of all builds that have measured.
struct Outcome {
  std::vector<Projected> parts;  ///< one, or one per build if orders differ
  project::Projection projection;
  project::Gates gates;
  std::vector<measuring::Duet> duets;  ///< which decide the comparison; empty: processes do
  double alpha = measuring::kAlpha;    ///< chance of error of intervals and verdicts; 0: there are no verdicts
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
  bool shared = true;    ///< whether all builds have one order
  bool goes_on = false;  ///< whether the job that has made the order may go on to measure, in place of another start
  bool duet_failed = false;  ///< whether two processes could not run beside each other
  bool prepared = false;     ///< whether points, plans and the way are chosen
  double half_width = std::numeric_limits<double>::infinity();  ///< at the last look; measuring::widest()
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
  /// Seconds of the dearest process of a build, points or whole epochs, with start-up; 0: there is none.
  double dearest_s(const Member&) const;
  /// Mean seconds of the starts that measured, points or whole epochs, with start-up; 0: there is none.
  double seconds_of_start() const;

  /// How much the epochs differ that starts of the build draw, as ProjectParams::other_draws; nothing: as far as is
  /// known, every start draws the same.
  std::optional<double> other_draws(const Member&) const;
  /// Projects all builds that have measured: together, or each by its own points if orders differ.
  Outcome project();
  /// The rounds of turns by the path of the process that measured in them; of a repeated one the repetition.
  std::map<std::string, std::uint64_t> rounds() const;
  /// Projects the same measurements with another chance of error.
  void set_alpha(Outcome&, double alpha);
  /// The work of a token and the peak of the build's devices; nothing: one of them is not known.
  std::optional<project::ModelWork> work_of(const Member&) const;
  std::uint64_t ranks_of(const Member&) const;
  /// The stretches of all builds, by the file of their batches.
  std::map<std::string, project::Stretch> stretches() const;
  /// Sets the comparison of the builds, and its checks, to what the duets say.
  void compare_by(Projected&, std::span<const measuring::Duet>) const;
  /// Sets the utilisation of devices, and joins the parts.
  void conclude(Outcome&) const;
};

/// The name of the repetition of a process that was disturbed: "old-1.anew.csv" of "old-1.csv".
std::string repetition_of(const std::string& profile);

// --- from its first job to its result

/// Collects orders, points and plans, then measures in processes by turns until the rule stops it, then writes the
/// result.
Exit measure(RunState&);
/// Times a whole epoch of each build and, if all builds have been measured, reports the error of their projections.
/// Recorded epochs are kept.
Exit record(RunState&);

// --- a process by itself: what its own measurements say, and its test of them

/// The result of one process.
struct ProcessResult {
  double epoch_s = 0;                         ///< by this process alone
  project::IntervalOrReason interval{};       ///< of `epoch_s`
  double batches_s = 0;                       ///< seconds of all of its batches, warm-up included
  std::optional<project::Stretch> stretch{};  ///< nothing: it ran none, or it has no time of every batch
};

/// The result of the process whose measurements are in the file `profile`, one of those that were projected.
ProcessResult result_of_process(const Projected&, const std::string& build, const std::string& profile);

/// The batches of a file of the companion, with their rows if it has them.
io::artifacts::TraceFile read_with_rows(const std::string& path);
/// Throws InputError if a batch of a stretch has other lengths than the batch of the order with the same rows. A start
/// that draws other batches has none of these. Both are paths.
void require_lengths_of_order(const std::string& stretch, const std::string& order);

/// "54.2 s, in a row 53.1 s": the epoch by the points of the process, and by its stretch if it ran one.
std::string estimate_text(const ProcessResult&);
/// "20 batches in a row: predicted 3.91 s, took 3.98 s".
std::string stretch_text(const project::Stretch&);

// --- duets: processes of two builds that take turns batch by batch

/// Whether further processes do: of two builds with the same points, on one machine.
bool takes_turns(const RunState&);
/// A folder for the duet of a round, with a FIFO for each of the two. Empty: the file system has none.
std::string make_duet(const RunState&, std::uint64_t round);
/// What each duet says, if most rounds were duets, which then decide; else empty. Where loaders work ahead while the
/// other process runs, the waits for data are those of consecutive batches.
std::vector<measuring::Duet> duets_of(const RunState&, const Projected&);
/// "new against old, in turns: +6.8 % ± 1.4 %", of the last duet; empty without one.
std::string duet_text(const RunState&, const Outcome&);

// --- whether first executions of points count, and what processes then measure

/// After one process of each build: says how much longer first executions took. If they count in all builds, further
/// processes run twice as many points once each. Does nothing where points were asked for, and if it was decided.
void decide_first_executions(RunState&, const Outcome&);
/// What was decided, for the result; empty: nothing was.
std::string text_of_first(const RunState&, const Outcome&);

// --- the price: points or whole epochs, and whether another process is worth it

/// The batches that two processes run of these points.
std::uint64_t planned_by(const select::Selection&);
/// The same in batches of the run's mean padded tokens; `profiles`: with those that a profiler sees.
double planned_work(const select::Selection&, bool profiles);
/// The job with the number of batches to measure that is best by what the order has shown, and no more than --max-time
/// allows, which counts what was spent, start-ups and batches. Nothing is changed if points were asked for.
io::artifacts::JobRequest within_price(RunState&, const Member&);
/// Chooses the way once, before anything is measured, and prints the prices: whole epochs if all that points take costs
/// more than an epoch of each build, the orders included, unless only points are within --max-time. Records what was
/// said, which is kept unless an option asks for more.
void choose_way(RunState&);
/// After a process of each build: changes to whole epochs if one of each costs less than the other processes of points
/// that a result needs, which the order could not tell. Returns whether it does.
bool turn_to_epochs(RunState&, const Outcome&);
/// Whether a further process of each build, by the dearest so far, would end within what was said to be the most.
bool fits(const RunState&);
/// Whether the price that was said, or an interval that the last process has made wider, ends the run. These
/// half-widths are those of the look before and of this one. What processes are needed always run.
measuring::Stop within_said(const RunState&, std::uint64_t processes, double before, double now);
/// "at most 55 s was said: batches took 1.3 times as long as in the order", if the run took longer than that; else
/// empty.
std::string overrun_text(const RunState&);
/// Warns if no number of processes reaches --precision.
void report_floor(const RunState&, const Outcome&);
/// Whether another process of each build is worth its price: go_on, gain or price. An explicit --max-time replaces the
/// price of an epoch; a comparison goes on until it is decided, also by whole epochs.
measuring::Stop worth(const RunState&, std::uint64_t processes, const Outcome&);
/// Warns if measuring took longer, its orders aside, than a process of each build that runs its whole epoch.
void warn_of_price(const RunState&, const Outcome&);

// --- batches for which the job runs no training step: a `continue` for long ones, a training_step that returns None

/// The points of a build whose measured batches never had a backward pass, although those of other points had. Empty if
/// phases were not measured.
std::vector<const select::Point*> untrained_points(const Projected&, const std::string& build);

/// Takes the tokens and samples of untrained points out of the build's throughput. Repeating it changes nothing.
void leave_out_untrained(Projected&, project::ConfigurationProjection&);

/// "3 of 8 points, with lengths from 353 on, ran no training step: ..."; empty if all did.
std::string untrained_text(const Projected&, const std::string& build);

// --- the result: projection, page and table

/// Writes and reports the result, with the verdicts of the last look, which are of another confidence than its
/// intervals. kGateFailed if a gate fails or measurements are insufficient, else kDone.
Exit write_result(RunState&, Outcome&);

}  // namespace seqpoint::cli::job
