#include "core/findings/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/findings.hpp"
#include "core/numbers.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/time_parts.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::findings {
namespace {

/// Points are left out one by one only up to this number: each takes a fit of the others.
constexpr std::size_t kMaxLeftOut = 100;

class SeriesDiagnoser {
 public:
  SeriesDiagnoser(const select::Selection& selection, const project::RunEstimator& estimator,
                  const project::MeasuredPoints& measured, double overhead_s, const DiagnoseParams& params)
      : leave_out_(params.leave_out),
        confidence_(params.confidence),
        selection_(selection),
        estimator_(estimator),
        measured_(measured),
        fit_(estimator.fit(measured.counts)),
        estimate_(estimator.estimate(fit_, measured).plus(overhead_s)) {}

  /// Sets the total, its interval, the next step and, if there is an interval, the variance breakdown.
  void fill(Series& series) const {
    series.total = estimate_.figure();
    series.interval = project::interval_of(estimate_, confidence_);
    series.next = next_step(series);
    if (series.interval) series.width = width();
  }

 private:
  /// The variance breakdown. Its points are empty if every iteration of the run was measured.
  Width width() const {
    const project::VarianceParts parts = project::variance_of(estimate_);
    const double all = parts.total();
    const select::Scales scales = estimate_.scales->scales();
    Width width{.between = zero_if_rounding(parts.between / all),
                .missed = zero_if_rounding(parts.missed / all),
                .own = parts.own / all,
                .between_processes = parts.levels() / all,
                .scale = scales.noise,
                .misfit_scale = scales.misfit,
                .spread = scales.level.value_or(0),
                .processes = project::processes_of(measured_),
                .points = {}};
    for (std::size_t i = 0; i < measured_.values.size() && !estimator_.is_whole(measured_); ++i) {
      const project::MeasurementCounts& counts = measured_.counts;
      const double share = scales.noise * scales.noise * fit_.measured_variances[i] / all;
      const double again = select::kModelConstants.measurement * select::kModelConstants.measurement /
                           counts.measurements[i] /
                           select::kModelConstants.disturbance_variance(counts.iterations[i], counts.measurements[i]);
      width.measurements += share * again;
      width.iterations += share * (1 - again);
      width.points.push_back({selection_.points[counts.points[i]].id, share, change_without(i)});
    }
    std::ranges::stable_sort(width.points, std::greater{}, &PointPart::share);
    return width;
  }

  /// The change of the total if a measured point is left out, a share. Nothing without `leave_out_`, for fewer than 3
  /// or more than kMaxLeftOut points, or if the other points determine no interval.
  std::optional<double> change_without(std::size_t left_out) const {
    if (!leave_out_ || measured_.values.size() < 3 || measured_.values.size() > kMaxLeftOut) return std::nullopt;
    const project::MeasuredPoints rest = project::kept(measured_, [&](std::size_t i) { return i != left_out; });
    const project::RunEstimator::Fit fit = estimator_.fit(rest.counts);
    if (fit.no_interval != project::NoInterval::none) return std::nullopt;
    return (estimator_.total(fit, rest) - estimator_.total(fit_, measured_)) / estimate_.figure();
  }

  /// The interval about the total whose squared width is `share` of the current one's; nothing if there is no interval,
  /// or if it contains what processes that disagree allow.
  std::optional<project::Interval> expected(const Series& series, double share) const {
    if (!series.interval || estimate_.also) return std::nullopt;
    const double half = std::sqrt(share) * (series.interval->high - series.total);
    return project::Interval{series.total - half, series.total + half};
  }

  /// Measure missing points if there are any. Otherwise nothing without an interval; select twice as many points if
  /// interpolation, missed totals and the run's own noise together exceed both measurement noise and levels; else add
  /// as many processes as have measured, at once if these disagree.
  std::optional<NextStep> next_step(const Series& series) const {
    NextStep next;
    for (std::size_t p = 0; p < selection_.points.size(); ++p)
      if (!std::ranges::binary_search(measured_.counts.points, p))
        next.measure.emplace_back(selection_.points[p].id, selection_.points[p].repeats);
    if (!next.measure.empty()) {
      next.what = NextStep::What::missing_points;
      return next;
    }
    if (!series.interval) return std::nullopt;
    const project::VarianceParts parts = project::variance_of(estimate_);
    const double all = parts.total();
    if (!(all > 0)) return std::nullopt;
    const double of_points = parts.between + parts.missed + parts.own;
    if (!estimate_.also && of_points > std::max(parts.measured, parts.levels())) {
      next.what = NextStep::What::more_points;
      next.points = 2 * selection_.points.size();
      return next;
    }
    // As many processes again halve what the processes and the measurements in them contribute.
    next.processes = project::processes_of(measured_);
    next.expected = expected(series, 1 - (parts.processes + parts.measured) / 2 / all);
    return next;
  }

  bool leave_out_;  ///< whether to leave points out one by one
  double confidence_;
  const select::Selection& selection_;
  const project::RunEstimator& estimator_;
  const project::MeasuredPoints& measured_;
  project::RunEstimator::Fit fit_;
  project::Estimate estimate_;
};

/// Whether the metric is one of DiagnoseParams::metrics, or a time that is no part of another if these are empty.
bool wanted(const DiagnoseParams& params, const std::string& metric, const profile::Measurements& measured) {
  const auto& only = params.metrics;
  return trace::is_time_metric(metric) && !project::is_phase(metric, measured.metrics) &&
         (only.empty() || std::ranges::find(only, metric) != only.end());
}

}  // namespace

bool is_questioned(const Series& series, const std::vector<Finding>& found) {
  return std::ranges::any_of(found, [&](const Finding& finding) {
    const std::string& field = finding.place.field;
    return finding.subject == series.configuration && (field == series.metric || !trace::is_time_metric(field)) &&
           (finding.severe || finding.kind.severity == Severity::doubtful);
  });
}

Diagnosis diagnose(const select::Selection& selection, std::span<const project::NamedMeasurements> configurations,
                   std::vector<Finding> findings, const DiagnoseParams& params) {
  const project::RunEstimator estimator(selection, params.target);
  Diagnosis diagnosis{.confidence = params.confidence, .series = {}, .findings = std::move(findings)};
  for (const project::NamedMeasurements& named : configurations) {
    const profile::Measurements& measurements = named.measurements;
    for (std::size_t m = 0; m < measurements.metrics.size(); ++m) {
      const std::string& metric = measurements.metrics[m];
      if (!wanted(params, metric, measurements)) continue;
      auto measured = project::measured_points(measurements, m, params.median, params.between_processes);
      if (!measured) continue;
      measured = estimator.compared(estimator.fit(measured->counts), *measured);
      Series& series = diagnosis.series.emplace_back();
      series.configuration = named.name;
      series.metric = metric;
      series.points = measured->values.size();
      for (const auto& repeats : measurements.readings[m]) series.measurements += repeats.size();
      SeriesDiagnoser(selection, estimator, *measured, params.overhead_s, params).fill(series);
    }
  }
  return diagnosis;
}

}  // namespace seqpoint::findings
