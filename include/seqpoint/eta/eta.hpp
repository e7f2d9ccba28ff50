/// \file
/// Stage 6: how long a run still takes that has begun.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "seqpoint/project/projection.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::eta {

// What the model and the ratio of work do not know of each other, found by replaying the epochs of examples/data
// (docs/evaluation.md); standard deviations, as shares.

/// By how much cost for each padded token differs between batches of which the mean is e times the other's, for each
/// unit of |ln e|.
inline constexpr double kCostOfSize = 0.15;
/// By how much a machine's speed in the time that is left differs from that so far.
inline constexpr double kDrift = 0.025;
/// The part of the iterations that are done in which the machine's speed is compared with that before.
inline constexpr double kLastStretch = 0.2;

/// Seconds of iterations that were not run.
struct Expected {
  double seconds = 0;          ///< the best guess
  project::Interval interval;  ///< not below 0
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
  Expected expected;               ///< of those that are left
  std::optional<Stretch> stretch;  ///< nothing: too few were timed
};

/// How long the iterations of a run that are left still take, behind the first `done`. `timed`: spans of these, at
/// least one, ascending, none of which holds what another does. `confidence` in (0, 1), of the interval; the stretch's
/// has 99 %, so that it is rarely off without a reason.
///
/// The model projects the timed iterations onto those that are left (project::project_onto()). Where all were alike
/// that says little, and it is averaged with the ratio of work: seconds for each padded token so far times those that
/// are left. Each counts by its variance. Where iterations were not timed one by one, the ratio alone tells.
TimeLeft time_left(const trace::Trace& run, std::span<const TimedSpan> timed, std::size_t done, double confidence);
/// The same of the first iterations of the run, one by one; NaN where not known.
TimeLeft time_left(const trace::Trace& run, std::span<const double> seconds, double confidence);

}  // namespace seqpoint::eta
