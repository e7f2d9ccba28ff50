/// \file
/// One configuration's part of a projection.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/measured_points.hpp"
#include "core/project/projection.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

inline constexpr auto kReachesZero = "the interval reaches zero: the measured points do not tell what the run costs";
/// Whether the interval's lower end is not above 0 although every measurement is: such a total is not determined.
inline bool reaches_zero(double low, const MeasuredPoints& points) {
  return low <= 0 && std::ranges::min(points.values) > 0;
}
/// The reason for calling a configuration with such a total partial.
inline std::string reaches_zero_text(const std::string& metric) {
  return metric + ": " + kReachesZero + "; `explain` names measurements that do not fit";
}

/// Minimum measured weight of a result, a share of the run. Reason: below half, most of the run is unmeasured.
inline constexpr double kMinMeasuredWeight = 0.5;

/// Caches fits, which metrics that were measured at the same points share.
class FitCache {
 public:
  explicit FitCache(const RunEstimator& estimator) : estimator_(estimator) {}
  const RunEstimator& estimator() const { return estimator_; }
  const RunEstimator::Fit& fit(const MeasurementCounts&);
  Estimate estimate(const MeasuredPoints& points) { return estimator_.estimate(fit(points.counts), points); }
  /// The ratio of two totals; at each point the smaller of the two numbers of measurements counts.
  Estimate ratio(const MeasuredPoints& above, const MeasuredPoints& below);
  /// The ratio of two totals that were measured at different points: predicted from the common points. Nothing if these
  /// are too few for an interval.
  std::optional<Estimate> ratio_at_common_points(const MeasuredPoints& above, const MeasuredPoints& below);

 private:
  const RunEstimator& estimator_;
  std::map<MeasurementCounts, RunEstimator::Fit> fits_;
};

/// Projects everything of one configuration except its speedups. Its arguments have to outlive it.
class ConfigurationProjector {
 public:
  using NamedMetric = std::pair<std::string, MeasuredPoints>;

  ConfigurationProjector(const select::Selection& selection, const NamedMeasurements& named,
                         const ProjectParams& params, FitCache& fits, std::vector<std::string>& notes);

  ConfigurationProjection run();

  /// The metric's measurements; null if this configuration lacks the metric.
  const MeasuredPoints* find(const std::string& name) const;
  /// Seconds outside the iterations, included in the total of a metric.
  double overhead_of(const std::string& name) const;
  const std::vector<NamedMetric>& metrics() const { return metrics_; }

 private:
  bool wanted(const std::string& name) const;
  profile::MetricRole role_of(const std::string& name) const;
  double total(const MeasuredPoints& points) { return fits_.estimator().total(fits_.fit(points.counts), points); }
  /// runtime_s if it was measured, else the first metric that is a time.
  const NamedMetric* time_metric() const;
  MetricKind kind_of(const std::string& name) const;
  void add_metric(const std::string& name, const MeasuredPoints& points);
  MetricProjection time_weighted(const std::string& name, const MeasuredPoints& points);
  void add_rate(const RateSpec& rate);
  void add(MetricProjection projected);
  void add_throughput();
  void add_processes();
  void add_executed();
  void add_cold_start();
  double measured_weight_of(const MeasuredPoints&) const;
  bool is_partial(const MetricProjection&) const;
  void set_partial();
  void list_missing();
  void list_measured();

  const select::Selection& selection_;
  const NamedMeasurements& named_;
  const ProjectParams& params_;
  FitCache& fits_;
  std::vector<std::string>& notes_;
  std::vector<NamedMetric> metrics_;  ///< metrics that were measured at some point
  ConfigurationProjection out_;
};

}  // namespace seqpoint::project
