/// \file
/// Figures and how sure they are. Every interval is made here, by interval_of(): whoever adds to a figure changes its
/// value or a part of its variance before.
#pragma once

#include <algorithm>
#include <memory>

#include "core/project/projection.hpp"
#include "core/select/scales.hpp"

namespace seqpoint::project {

/// A figure, and what is not known of it.
struct Estimate {
  double value = 0;  ///< in its own unit
  double unit = 0;   ///< the error of the figure over that of which `parts` are the variance; of a ratio of
                     ///< the logarithm
  select::ErrorParts parts{};
  std::shared_ptr<const select::ScalesPosterior> scales{};  ///< null: there is no interval, for the reason `without`
  IntervalOrReason without{};
  bool is_ratio = false;   ///< its error is on the logarithm
  double exact_share = 0;  ///< of a ratio: share of its denominator that both sides have, and exactly
  double least = -1e300;   ///< neither the figure nor an end of its interval is below

  double figure() const { return std::max(value, least); }
  /// Moves a figure and its interval by what is exactly known.
  Estimate plus(double exact) const {
    Estimate moved = *this;
    moved.value += exact;
    moved.least += exact;
    return moved;
  }
  /// Adds to both sides of a ratio what is exactly known, so that it is this share of the denominator.
  Estimate with_exact_share(double share) const {
    Estimate mixed = *this;
    mixed.exact_share = share;
    mixed.value = share + (1 - share) * value;
    return mixed;
  }
};

/// What has no interval, and why.
Estimate estimate_without(double value, IntervalOrReason why);

/// The interval that holds the figure with this probability, and the bounds that it is beyond with 1 - `confidence`
/// each.
IntervalOrReason interval_of(const Estimate&, double confidence);

/// Half of the interval of an estimate that has one, in the unit of the figure; of a ratio on the logarithm.
double half_width_of(const Estimate&, double confidence);

/// The variance of an error by where it comes from, as shares of the mean cost squared, at the scales that are known
/// best.
struct VarianceParts {
  double between = 0;      ///< misfit of lengths that were not measured
  double measured = 0;     ///< disturbances of the measurements
  double missed = 0;       ///< totals of free functions that the weights miss
  double own = 0;          ///< disturbances of the run's own iterations
  double processes = 0;    ///< levels of those that measured
  double own_process = 0;  ///< level of the run's own, where it is another

  double levels() const { return processes + own_process; }
  double total() const { return between + measured + missed + own + levels(); }
};
/// The parts of an estimate that has an interval.
VarianceParts variance_of(const Estimate&);

}  // namespace seqpoint::project
