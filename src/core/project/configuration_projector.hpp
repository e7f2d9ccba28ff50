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
/// Whether the lower end of an interval does that though every measurement lies above it: of such a total nothing is
/// known.
inline bool reaches_zero(double low, const MeasuredPoints& points) {
  return low <= 0 && std::ranges::min(points.values) > 0;
}
/// Why a configuration is partial whose total does so.
inline std::string reaches_zero_text(const std::string& metric) {
  return metric + ": " + kReachesZero + "; `explain` names measurements that do not fit";
}

/// What was measured stands for at least this share of the run, or it is no result. Reason: for the lesser part, then.
inline constexpr double kMinCoverage = 0.5;

/// Keeps fits, which metrics that were measured at the same points share.
class FitCache {
 public:
  explicit FitCache(const RunEstimator& estimator) : estimator_(estimator) {}
  const RunEstimator& estimator() const { return estimator_; }
  const RunEstimator::Fit& fit(const MeasurementCounts&);
  Estimate estimate(const MeasuredPoints& points) { return estimator_.estimate(fit(points.counts), points); }
  /// The ratio of two totals; at each point the smaller of both numbers of measurements counts.
  Estimate ratio(const MeasuredPoints& above, const MeasuredPoints& below);
  /// The ratio of two totals that were measured at different points: of what those that both have predict. Nothing
  /// where these are too few for an interval.
  std::optional<Estimate> ratio_at_common_points(const MeasuredPoints& above, const MeasuredPoints& below);

 private:
  const RunEstimator& estimator_;
  std::map<MeasurementCounts, RunEstimator::Fit> fits_;
};

/// Projects everything of one configuration but its speedups. What it is given has to outlive it.
class ConfigurationProjector {
 public:
  using NamedMetric = std::pair<std::string, MeasuredPoints>;

  ConfigurationProjector(const select::Selection& selection, const NamedMeasurements& named,
                         const ProjectParams& params, FitCache& fits, std::vector<std::string>& notes);

  ConfigurationProjection run();

  /// A metric where it was measured; null for one that this configuration lacks.
  const MeasuredPoints* find(const std::string& name) const;
  /// Seconds beside the iterations that the total of a metric has.
  double overhead_of(const std::string& name) const;
  const std::vector<NamedMetric>& metrics() const { return metrics_; }

 private:
  bool wanted(const std::string& name) const;
  profile::MetricRole role_of(const std::string& name) const;
  double total(const MeasuredPoints& points) { return fits_.estimator().total(fits_.fit(points.counts), points); }
  /// runtime_s where there is one, else the first metric that is a time.
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
  double coverage_of(const MeasuredPoints&) const;
  bool is_partial(const MetricProjection&) const;
  void set_partial();
  void list_missing();
  void list_measured();

  const select::Selection& selection_;
  const NamedMeasurements& named_;
  const ProjectParams& params_;
  FitCache& fits_;
  std::vector<std::string>& notes_;
  std::vector<NamedMetric> metrics_;  ///< those that were measured somewhere
  ConfigurationProjection out_;
};

}  // namespace seqpoint::project
