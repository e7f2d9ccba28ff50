/// \file
/// Stage 6: the remaining time of a run that has begun.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/project/projection.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::eta {

/// The share of the done iterations whose speed is compared with the earlier iterations; the speed is assumed constant
/// within such a share.
inline constexpr double kLastStretch = 0.2;

/// Cold-start cost of shapes that are new to a process (docs/method.md, Cold start).
struct FirstSeen {
  double seconds_each = 0, deviation_each = 0;  ///< extra cost of a shape, and its standard error
  std::uint64_t compared = 0;                   ///< shapes that occurred again; the cost is a median over them
  std::uint64_t left = 0;                       ///< shapes that are still to come
};

/// Seconds of iterations that have not run.
struct Expected {
  double seconds = 0;            ///< the best guess
  project::Interval interval{};  ///< not below 0
  /// Cold-start cost included in `seconds`; nothing: fewer than two shapes occurred again, or they were not clearly
  /// faster.
  std::optional<FirstSeen> first_seen{};
  bool down_to_new = false;  ///< hardly any shape occurred again, so the interval extends down to the remaining new
                             ///< shapes alone
};

/// The most recent timed iterations, compared with the expectation from the earlier ones.
struct Stretch {
  std::uint64_t iterations = 0;  ///< number of the most recent timed iterations
  double seconds = 0;            ///< seconds that they took
  Expected expected;             ///< expectation from the earlier iterations, with a 99 % interval
  /// Whether they took less or more time than the expected interval.
  bool is_off() const { return seconds < expected.interval.low || expected.interval.high < seconds; }
};

/// Consecutive iterations of a run that were timed together, by position.
struct TimedSpan {
  std::size_t begin = 0,  ///< the first
      end = 0;            ///< one past the last
  double seconds = 0;     ///< their total; 0 if a clock is too coarse, but not in every span
};

/// The progress of a run, and its remaining time.
struct TimeLeft {
  std::uint64_t done = 0,          ///< iterations that have run
      timed = 0,                   ///< iterations of `done` whose times are known
      left = 0;                    ///< iterations still to run
  double work_done = 0;            ///< share of the run's padded tokens that is done, in [0, 1]
  double seconds_done = 0;         ///< seconds of the timed iterations
  std::size_t slow_start = 0;      ///< the first spans that are the start of the process, and do not predict the rest
  Expected expected;               ///< seconds of the remaining iterations
  std::optional<Stretch> stretch;  ///< nothing: too few were timed
};

/// Predicts the time of a run's iterations after the first `done`. `timed`: spans of these, at least one, ascending,
/// disjoint. `confidence` in (0, 1), of the interval; the stretch's is 99 %, so that it rarely raises a false alarm.
///
/// First spans, at most ten and a fifth of all, that took twice as long as any later one of their size are the start of
/// the process, if the first iteration was timed: they do not predict, but count as timed. The point estimate is
/// proportional to work: seconds per padded token so far, times the tokens left. It is that of a curve, fitted to the
/// shapes' functions of the cost model, if this predicted the last four fifths of the times, each from those before, at
/// least twice as well; the stretch's expectation is made in the same way. If shapes occurred again and were
/// clearly faster then, their cold-start cost is subtracted from the ratio and added once for each shape still to come.
/// The interval is that of the model's projection from the timed iterations, extended to contain the estimate; of the
/// curve, if iterations were timed together or by a clock that is too coarse for some of them. If
/// nearly all iterations were timed one by one as new shapes, it extends down to the cost of the remaining new shapes:
/// the cost of known shapes was not observed. If only one batch size was timed, it covers both a constant cost of other
/// batch sizes and a cost proportional to their size. The timed iterations are divided into stretches, each with a
/// level as processes have (docs/method.md); the rest of the run is one more.
TimeLeft time_left(const trace::Trace& run, std::span<const TimedSpan> timed, std::size_t done, double confidence);

}  // namespace seqpoint::eta
