/// \file
/// The interval of a figure, or why there is none.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace seqpoint::project {

/// The range that covers the true figure with ProjectParams::confidence.
struct Interval {
  double low = 0,  ///< in the figure's unit
      high = 0;    ///< upper end; not below `low`
};

/// Why a figure has no interval.
enum class NoInterval {
  none,            ///< it has one
  one_point,       ///< one point was measured
  many_points,     ///< more points than can be fitted together
  undetermined,    ///< the measured points do not determine how cost grows
  one_batch_size,  ///< the points have one batch size, and the projected run others
  no_ratio         ///< a total is zero, or two were measured at different points
};

/// An interval, or the reason why there is none.
struct IntervalOrReason : std::optional<Interval> {
  /// One-sided bounds, if there is an interval: the figure is at least `low`, and at most `high`, each with the
  /// interval's confidence. Limits are checked against these bounds.
  Interval bounds{};
  std::string reason{};               ///< why there is no interval; empty if there is one
  NoInterval why = NoInterval::none;  ///< the same reason, for programs

  IntervalOrReason() = default;  ///< no interval, for an unknown reason
  IntervalOrReason(const Interval& interval) : optional(interval), bounds(interval) {}  ///< with an interval
  IntervalOrReason(NoInterval none);  ///< no interval, with the text of the reason
  /// No interval, for another reason.
  IntervalOrReason(std::string no_ratio) : reason(std::move(no_ratio)), why(NoInterval::no_ratio) {}
};

}  // namespace seqpoint::project
