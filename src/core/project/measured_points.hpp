/// \file
/// One value for the measurements of a metric at each point of a selection.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/estimate.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

/// With more processes than this all count as one: a column meant to name processes then has a different text in every
/// row.
inline constexpr std::size_t kMaxProcesses = 500;

/// The metric that processes measure in a second way, in stretches of consecutive batches.
inline constexpr std::string_view kStretchMetric = "runtime_s";

/// Effective number of measured iterations, (sum n)² / sum n² for iterations that were measured n times: as many
/// iterations, measured equally often, would have a mean of the same variance. All readings without a known iteration
/// count as one iteration.
double effective_iterations(std::span<const profile::Reading>);

/// Metric `m`, a position, at the points where it was measured: the mean of each point's measurements or, with
/// `robust`, their median, whose variance for three or more is assumed to be pi / 2 times that of the mean, as for
/// normal values. Nothing if no point was measured. `between`: median of the between-process variation, replacing the
/// default.
std::optional<MeasuredPoints> measured_points(const profile::Measurements&, std::size_t m, bool robust,
                                              std::optional<double> between = {});

/// The measurements of one process at its points, without its stretch; without points if it has none. Parameters as of
/// measured_points().
MeasuredPoints measured_by(const MeasuredPoints&, std::size_t process, bool robust);

/// Prior of the between-process variation: kDeviceBound if the accelerator is busy for at least kDeviceBoundFrom of a
/// step, kHostBoundOnDevice if it is less busy, and kHostBound if it is idle or `device_busy` is not known. `median`
/// replaces the prior's median.
select::BetweenProcesses between_processes(const std::optional<double>& device_busy, std::optional<double> median = {});

/// The values and counts of those measured points, by their position, that `is_kept` accepts.
MeasuredPoints kept(const MeasuredPoints&, const std::function<bool(std::size_t)>& is_kept);

/// The first argument at the points where `other` was measured too, without its run_totals; empty if there are none.
MeasuredPoints measured_in_both(const MeasuredPoints&, const MeasuredPoints& other);

/// At each point the smaller of the two numbers, of iterations and of measurements. Both have the same points.
MeasurementCounts smaller_counts(const MeasurementCounts&, const MeasurementCounts&);

// --- Between-process variation of the measuring processes, and measurements with the levels divided out

/// For the iterations of a point, by number: the mean of its measurements over the mean of all, minus 1.
using Deviations = std::vector<std::pair<std::uint64_t, double>>;

/// The levels of the processes of one configuration's metric, in a projection.
struct ProcessLevels {
  std::map<std::size_t, double> deviations{};  ///< of each process that shares points with others: its own projection
                                               ///< relative to the mean of all
  double shares = 1;                           ///< sum of the squared contributions of the processes to the projection
  select::LevelEvidence evidence{};

  /// A reading divided by 1 + the deviation of its process, if that is above 0.
  double levelled(const profile::Reading&) const;
};

/// The number of different processes among the readings; 1 if there are no readings.
std::uint64_t processes_of(const MeasuredPoints&);

/// Compares processes over the points that several of them measured. `weights`: v, weight of each measured point in the
/// projection. `relative_sizes`: z, size of each measured point over the mean size. Without readings: one process.
ProcessLevels process_levels(const MeasuredPoints&, const Eigen::VectorXd& weights,
                             const Eigen::VectorXd& relative_sizes);

/// By measured point, the deviations of its iterations after each measurement is divided by 1 + the deviation of its
/// process. Empty for a point with fewer than two iterations, or with a reading whose iteration is not known.
std::vector<Deviations> deviations_of(const MeasuredPoints&, const ProcessLevels&);

// --- Fits of a run's points, each made once

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
  /// As RunEstimator::compared(). Fits only what several processes measured, or one in two ways.
  MeasuredPoints compared(const MeasuredPoints& points) {
    const bool twice =
        points.scope == LevelScope::another_process && (processes_of(points) > 1 || !points.stretches.empty());
    return twice ? estimator_.compared(fit(points.counts), points) : points;
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
