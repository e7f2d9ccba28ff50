/// \file
/// Fits of a run's points, each made once.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/project/estimate.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/process_levels.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

/// Caches fits, which metrics that were measured at the same points share.
class FitCache {
 public:
  explicit FitCache(const RunEstimator& estimator) : estimator_(estimator) {}
  const RunEstimator& estimator() const { return estimator_; }
  /// The fit for these counts. The reference is valid as long as the cache.
  const RunEstimator::Fit& fit(const MeasurementCounts& counts) {
    const auto known = fits_.find(counts);
    return known != fits_.end() ? known->second : fits_.emplace(counts, estimator_.fit(counts)).first->second;
  }
  /// As RunEstimator::compared(). Fits only what several processes measured.
  MeasuredPoints compared(const MeasuredPoints& points) {
    const bool several = points.scope == LevelScope::another_process && processes_of(points) > 1;
    return several ? estimator_.compared(fit(points.counts), points) : points;
  }
  Estimate estimate(const MeasuredPoints& points) { return estimator_.estimate(fit(points.counts), points); }
  /// The ratio above / below of two totals; at each point the smaller of the two numbers of measurements counts. If
  /// they were measured at different points, the value 0 without an interval, unless one of the two measured every
  /// iteration.
  Estimate ratio(const MeasuredPoints& above, const MeasuredPoints& below) {
    const bool whole = estimator_.is_whole(above);
    if (whole != estimator_.is_whole(below))
      return estimator_.ratio_to_whole(fit((whole ? below : above).counts), above, below);
    if (above.counts.points != below.counts.points)
      return estimate_without(0, std::string("the two were measured at different points"));
    return estimator_.ratio(fit(smaller_counts(above.counts, below.counts)), above, below);
  }
  /// The ratio above / below of two totals that were measured at different points, predicted from the points that both
  /// have. Nothing if these are too few for an interval.
  std::optional<Estimate> ratio_at_common_points(const MeasuredPoints& above, const MeasuredPoints& below) {
    const MeasuredPoints one = measured_in_both(above, below), other = measured_in_both(below, above);
    if (one.values.empty()) return std::nullopt;
    const RunEstimator::Fit& common = fit(smaller_counts(one.counts, other.counts));
    if (common.no_interval != NoInterval::none) return std::nullopt;
    return estimator_.ratio(common, one, other);
  }

 private:
  const RunEstimator& estimator_;
  std::map<MeasurementCounts, RunEstimator::Fit> fits_;
};

}  // namespace seqpoint::project
