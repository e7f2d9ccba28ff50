/// \file
/// Stage 6: how long a run still takes that has begun.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/project/projection.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::eta {

/// The part of the iterations that are done in which the machine's speed is compared with that before, and in which it
/// is taken to be the same.
inline constexpr double kLastStretch = 0.2;

/// Shapes that are new to a process cost more at first (docs/method.md, Cold start).
struct FirstSeen {
  double seconds_each = 0, deviation_each = 0;  ///< that a shape costs more, and the standard error
  std::uint64_t compared = 0;                   ///< shapes that came again, by whose median it is told
  std::uint64_t left = 0;                       ///< shapes that are still to come
};

/// Seconds of iterations that were not run.
struct Expected {
  double seconds = 0;          ///< the best guess
  project::Interval interval;  ///< not below 0
  /// What of it shapes cost that are new; nothing: less than two shapes came again, or they were not clearly faster.
  std::optional<FirstSeen> first_seen{};
  bool down_to_new = false;  ///< hardly a shape came again, and so the interval reaches down to what new ones take
};

/// The last iterations that were timed, beside what those before them make of these.
struct Stretch {
  std::uint64_t iterations = 0;  ///< the last of those that were timed
  double seconds = 0;            ///< that they took
  Expected expected;             ///< what those before them let expect, with 99 %
  /// Whether they took less or more than the interval that was expected.
  bool is_off() const { return seconds < expected.interval.low || expected.interval.high < seconds; }
};

/// Iterations of a run that were timed together, by position.
struct TimedSpan {
  std::size_t begin = 0,  ///< the first
      end = 0;            ///< behind the last
  double seconds = 0;     ///< that they took, all of them; 0 where a clock is too coarse, but not in every span
};

/// How far a run has come, and how long it still takes.
struct TimeLeft {
  std::uint64_t done = 0,          ///< iterations that ran
      timed = 0,                   ///< iterations of `done` whose times are known
      left = 0;                    ///< iterations that are to run
  double work_done = 0;            ///< the share of the run's padded tokens, in [0, 1]
  double seconds_done = 0;         ///< of those that were timed
  bool slow_start = false;         ///< the first span is the start of the process, and tells nothing of the rest
  Expected expected;               ///< of those that are left
  std::optional<Stretch> stretch;  ///< nothing: too few were timed
};

/// How long the iterations of a run that are left still take, behind the first `done`. `timed`: spans of these, at
/// least one, ascending, none of which holds what another does. `confidence` in (0, 1), of the interval; the stretch's
/// has 99 %, so that it is rarely off without a reason.
///
/// A first span that took twice as long as any other of its size is the start of the process: it is left out. The guess
/// is the ratio of work: seconds for each padded token so far, times those that are left. Where shapes came again and
/// were clearly faster then, the ratio is without what they took more at first, and each shape that is still to come
/// gets that. The interval is that of the model's projection from the timed iterations, and reaches to the guess. Where
/// nearly all iterations were timed one by one as new shapes, it reaches down to what the shapes that are still to come
/// take: nothing tells what known ones do. Where one batch size was timed, it holds what batches of others cost if they
/// cost as much, and if they cost in proportion. What was timed is taken to be stretches, each with a level as
/// processes have (docs/method.md); what is left is one more. Where iterations were timed together, what the model's
/// prior says of amounts and of a level takes the place of its fit.
TimeLeft time_left(const trace::Trace& run, std::span<const TimedSpan> timed, std::size_t done, double confidence);
/// The same of the first iterations of the run, one by one; NaN where not known.
TimeLeft time_left(const trace::Trace& run, std::span<const double> seconds, double confidence);

}  // namespace seqpoint::eta
