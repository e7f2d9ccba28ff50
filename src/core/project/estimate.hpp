/// \file
/// Figures with their uncertainty. Every interval is made here, by interval_of(): code that adds to a figure
/// changes its value or a part of its variance beforehand.
#pragma once

#include <algorithm>
#include <memory>

#include "core/project/projection.hpp"
#include "core/select/scales.hpp"

namespace seqpoint::project {

/// A figure and its uncertainty.
struct Estimate {
  double value = 0;  ///< in its own unit
  double unit = 0;   ///< scales the error whose variance `parts` has to the error of the figure; for a ratio of its
                     ///< logarithm
  select::ErrorParts parts{};
  std::shared_ptr<const select::ScalesPosterior> scales{};  ///< null: there is no interval, for the reason `without`
  IntervalOrReason without{};
  bool is_ratio = false;   ///< its error is on the logarithm
  double exact_share = 0;  ///< for a ratio: share of its denominator that is known exactly and common to both sides
  double least = -1e300;   ///< lower limit of the figure and of both ends of its interval
  std::optional<Interval> also{};  ///< what the figure is by other assumptions that the data allow: the interval
                                   ///< contains it; not for a ratio
  Interval beyond{};               ///< for a ratio: on the logarithm, how much farther both ends of the interval lie
  /// What is printed if it is not the middle of the interval, as the mean of processes that disagree.
  std::optional<double> stated{};
  bool processes_agree = true;  ///< for a ratio: whether the processes of both sides, or their rounds, agree

  /// The figure to print; `least` if it is below that.
  double figure() const { return std::max(stated.value_or(value), least); }
  /// Shifts a figure, its interval and its lower limit by an exactly known amount. Not for a ratio.
  Estimate plus(double exact) const {
    Estimate moved = *this;
    moved.value += exact;
    moved.least += exact;
    if (also) moved.also = Interval{also->low + exact, also->high + exact};
    if (stated) moved.stated = *stated + exact;
    return moved;
  }
  /// The ratio after an exactly known amount, this share of the new denominator, is added to both sides.
  Estimate with_exact_share(double share) const {
    Estimate mixed = *this;
    mixed.exact_share = share;
    mixed.value = share + (1 - share) * value;
    if (stated) mixed.stated = share + (1 - share) * *stated;
    return mixed;
  }
};

/// A figure without an interval, and the reason.
Estimate estimate_without(double value, IntervalOrReason why);

/// The interval that covers the figure with probability `confidence`, and its one-sided bounds, each exceeded with
/// probability 1 - `confidence`; without scales the reason why there is none.
IntervalOrReason interval_of(const Estimate&, double confidence);

/// The two-sided interval of interval_of() alone, in half the time.
IntervalOrReason two_sided_interval_of(const Estimate&, double confidence);

/// Half-width of the two-sided interval of an estimate that has one, in the unit of the figure; for a ratio, half-width
/// of the interval of its logarithm.
double half_width_of(const Estimate&, double confidence);

/// Variance of an error by source, as shares of the mean cost squared, at the best known scales.
struct VarianceParts {
  double between = 0;      ///< misfit of lengths that were not measured
  double measured = 0;     ///< noise of the measurements
  double missed = 0;       ///< totals of diffuse functions that the weights miss
  double own = 0;          ///< noise of the run's own iterations, and of their lengths if only a part is known
  double processes = 0;    ///< levels of the measuring processes
  double own_process = 0;  ///< level of the run's own process, if it is another one

  double levels() const { return processes + own_process; }
  double total() const { return between + measured + missed + own + levels(); }
};
/// The parts of an estimate that has an interval.
VarianceParts variance_of(const Estimate&);

}  // namespace seqpoint::project
