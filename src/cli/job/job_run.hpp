/// \file
/// A run from its first job to its result.
#pragma once

#include <optional>
#include <string>

#include "cli/job/hooked_start.hpp"
#include "cli/job/run_process.hpp"
#include "cli/job/run_state.hpp"

namespace seqpoint::cli::job {

class JobRun {
 public:
  /// The arguments belong to the caller, and outlive this object.
  JobRun(const RunRequest& request, RunFolder& folder, Console& console) : run_(request, folder, console) {}

  /// Collects orders, points and plans, then measures in processes by turns until the rule stops it, then writes the
  /// result.
  Exit measure();
  /// Times a whole epoch of each build and, if all builds have been measured, reports the error of their projections.
  /// Recorded epochs are kept.
  Exit record();

 private:
  /// A process that measured in its turn, or its repetition.
  struct Taken {
    measuring::Turn turn;
    bool is_repetition = false;
  };

  /// Sets the build's order: the file of --order, else one that a start of the job records, unless the folder has it. A
  /// single build's may go on to measure.
  void make_order(Member&);
  /// Whether the job that makes the order may go on to measure, in place of another start of it. Not if several start
  /// together: they would wait for it.
  bool may_go_on(const Member&);
  /// What is chosen by the orders: points, plans and the way. Does nothing the second time.
  void prepare();
  /// Sets RunState::shared. If orders differ, warns, and throws UsageError for exports that need one set of points.
  void compare_orders();
  /// Sets points, plan and epoch of a build; makes the files unless the folder has them. Prints the order, unless the
  /// console for warnings is the silent one.
  void make_points(Member&, Console& warnings);
  /// Prints a build's order, that of all if they share it, and what making it took.
  void report_order(const Member&) const;
  /// Sets the way of measuring and the processes of each build by the measurements that the folder has. Returns whether
  /// each build has some.
  bool find_measurements();
  /// Makes a build's epoch as short as the whole one that has just been timed, if it was longer: where the job has left
  /// its loader decides. Throws InputError if there are several builds.
  void take_seen_epoch(Member&, std::uint64_t process);
  /// Throws InputError if a recorded epoch has fewer batches than the one of the points: the job's loop ends early.
  void require_whole_epochs() const;

  /// Measures in processes, builds in turns, until the rule stops, and returns the results. Existing files are used
  /// unchanged; the stopping rule is applied only after the last of them, after all builds have had their turn, and
  /// after all processes that started together.
  Outcome take_turns();
  /// Whether the folder has the measurements of the n-th turn.
  bool has_turn(std::uint64_t n);
  /// Whether the process's stretch is in its record, if it has run one. Not if another one failed that ran beside it.
  bool is_reported(const measuring::Turn&);
  /// Measures in the processes of these turns at the same time, but for those whose measurements the folder has. Throws
  /// JobFailed.
  void take(std::uint64_t begin, std::uint64_t end);
  HookedStart start_of(const Member&, std::uint64_t process, const std::string& output) const;
  /// Lets a process of a build write its measurements, `output`. Throws JobFailed.
  void start(const Member&, std::uint64_t process, const std::string& output);
  std::string output_of(const Taken&) const;
  /// The estimate after a turn. If measurements are refused, because they are too doubtful to decide a gate, they
  /// are repeated once: on a shared machine, one iteration may take many times as long as the next. Throws InputError
  /// if the repetition is also refused.
  Outcome project_so_far(const measuring::Turn&);
  /// The turn whose measurements were refused; the latest if the error names none.
  measuring::Turn refused_turn(const InputError&, const measuring::Turn& latest) const;
  /// Prints what the process says, alone and with all before it. Its stretch goes into the record of its start, and
  /// into the intervals of the results.
  void report_process(const Taken&, Outcome&);
  /// Measures once more each process that was disturbed, if it is known which were and the time limit allows it.
  /// Returns the results with both measurements; a repetition that is refused is left out.
  Outcome repeat_disturbed(std::uint64_t processes, Outcome);
  void say_so_far(const Outcome&) const;

  /// Decides whether these results end the run, with the chance of error that is left for it. Records what that
  /// spends.
  measuring::Stop look(std::uint64_t processes, Outcome&);
  /// The part of the stopping rule's input that does not depend on results: processes, seconds so far and of a round.
  measuring::Standing standing(std::uint64_t processes) const;

  RunState run_;
  bool prepared_ = false;
};

}  // namespace seqpoint::cli::job
