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
/// Whether the interval's lower end `low` is not above 0 although every measurement is: such a total is not determined.
inline bool reaches_zero(double low, const MeasuredPoints& points) {
  return low <= 0 && std::ranges::min(points.values) > 0;
}
/// The text of ConfigurationProjection::partial for a total whose interval reaches zero.
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
  /// The fit for these counts. The reference is valid as long as the cache.
  const RunEstimator::Fit& fit(const MeasurementCounts&);
  /// As RunEstimator::compared(). Fits only what several processes measured.
  MeasuredPoints compared(const MeasuredPoints& points);
  Estimate estimate(const MeasuredPoints& points) { return estimator_.estimate(fit(points.counts), points); }
  /// The ratio above / below of two totals; at each point the smaller of the two numbers of measurements counts. If
  /// they were measured at different points, the value 0 without an interval, unless one of the two measured every
  /// iteration.
  Estimate ratio(const MeasuredPoints& above, const MeasuredPoints& below);
  /// The ratio above / below of two totals that were measured at different points, predicted from the points that both
  /// have. Nothing if these are too few for an interval.
  std::optional<Estimate> ratio_at_common_points(const MeasuredPoints& above, const MeasuredPoints& below);

 private:
  const RunEstimator& estimator_;
  std::map<MeasurementCounts, RunEstimator::Fit> fits_;
};

/// Projects everything of one configuration except its speedups. Its arguments have to outlive it.
class ConfigurationProjector {
 public:
  using NamedMetric = std::pair<std::string, MeasuredPoints>;

  /// Adds messages for the user to `notes`, also later in run().
  ConfigurationProjector(const select::Selection& selection, const NamedMeasurements& named,
                         const ProjectParams& params, FitCache& fits, std::vector<std::string>& notes);

  /// All figures but the speedups. Call once. Throws ParameterError for a rate whose metrics are missing or not totals.
  ConfigurationProjection run();

  /// The metric's measurements; null if this configuration lacks the metric.
  const MeasuredPoints* find(const std::string& name) const;
  /// Seconds outside the iterations, of all epochs, included in the total of a metric; 0 unless it is a total of
  /// seconds.
  double overhead_of(const std::string& name) const;
  const std::vector<NamedMetric>& metrics() const { return metrics_; }

 private:
  /// Whether a metric is projected: it is one of ProjectParams::metrics; if these are empty, it has a given kind, or
  /// a role other than no_cost and unknown.
  bool wanted(const std::string& name) const;
  /// The role of a metric; cost if the measurements give none.
  profile::MetricRole role_of(const std::string& name) const;
  /// The total over the projected run, without overheads.
  double total(const MeasuredPoints& points) { return fits_.estimator().total(fits_.fit(points.counts), points); }
  /// The metric of throughput: runtime_s if it was measured, else the first total in seconds; null if there is none.
  const NamedMetric* time_metric() const;
  /// ProjectParams::aggregate of the metric, else by its role.
  MetricKind kind_of(const std::string& name) const;
  /// Adds a projected metric. A maximum is left out, with a note, if the points have one batch size and the run others.
  void add_metric(const std::string& name, const MeasuredPoints& points);
  MetricProjection time_weighted(const std::string& name, const MeasuredPoints& points);
  /// Adds a ratio of two totals over the points that have both. Left out, with a note, if no point has both or the
  /// denominator's total is 0. Throws ParameterError if one of the metrics is missing or not a total.
  void add_rate(const RateSpec& rate);
  /// Adds a result and lowers the configuration's measured weight to that of the result.
  void add(MetricProjection projected);
  /// Sets the throughput, with overheads; not without a time above 0.
  void add_throughput();
  /// Sets the effect of between-process variation on the interval of the time; not if the run is in the measuring
  /// process, or the time has no interval.
  void add_processes();
  /// Sets the estimates of single processes of the time, if several measured points, and notes disturbed ones.
  void add_process_estimates();
  void note_disturbed(const std::string& metric);
  /// Sets the CPU time in `runtime_s`, if it is much less.
  void add_processor_time();
  /// Breaks `runtime_s` down by phases and lengths, if that is requested, also of each process.
  void add_time_parts();
  PartsOfProcess parts_of(std::size_t process);
  /// Sets the cost of measuring, compared with the run.
  void add_executed();
  /// Adds the cold start of every total in seconds: the given cost per shape, else the measured one. Adds nothing if
  /// the run is in the measuring process. Notes points whose first executions cannot be used.
  void add_cold_start();
  /// Weight of the measured points, a share of the selection's run.
  double measured_weight_of(const MeasuredPoints&) const;
  bool is_partial(const MetricProjection&) const;
  /// Sets ConfigurationProjection::partial to the reason of the first metric that is_partial().
  void set_partial();
  /// Lists the points that lack a measurement of at least one wanted metric.
  void list_missing();
  /// Lists the measurements of every wanted metric by point.
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
