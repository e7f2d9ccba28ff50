#include "core/diagnose/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "core/diagnose/series_faults.hpp"
#include "core/findings.hpp"
#include "core/profile/valid_measurements.hpp"
#include "core/project/further_measurements.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/process_levels.hpp"
#include "core/rounding.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::diagnose {
namespace {

/// The level of each of two ways to contradict: rounds that differ, and times at other points.
constexpr double kLevelOfContradictions = kFalseContradictions / 2;

/// More points are left out one by one only up to here: each takes a fit of the others.
constexpr std::size_t kMostLeftOut = 100;

/// The probability that at most `held` of so many independent intervals hold, where each does with `confidence`.
double probability_of_so_few(std::uint64_t held, std::uint64_t all, double confidence) {
  const auto n = static_cast<double>(all);
  double sum = 0;
  for (std::uint64_t h = 0; h <= held; ++h) {
    const auto x = static_cast<double>(h);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(confidence) +
                    (n - x) * std::log1p(-confidence));
  }
  return std::min(sum, 1.0);
}

bool holds(const project::Interval& interval, double truth) { return interval.low <= truth && truth <= interval.high; }

class SeriesDiagnoser {
 public:
  SeriesDiagnoser(const select::Selection& selection, const project::RunEstimator& estimator,
                  const project::MeasuredPoints& measured, double overhead_s, const DiagnoseParams& params)
      : leave_out_(params.limits),
        confidence_(params.confidence),
        selection_(selection),
        estimator_(estimator),
        measured_(measured),
        fit_(estimator.fit(measured.counts)),
        estimate_(estimator.estimate(fit_, measured).plus(overhead_s)) {}

  void fill(Series& series) const {
    series.total = estimate_.value;
    series.interval = project::interval_of(estimate_, confidence_);
    series.next = next_step(series);
    if (series.interval) series.width = width();
  }

 private:
  Width width() const {
    const project::VarianceParts parts = project::variance_of(estimate_);
    const double all = parts.total();
    const select::ModelConstants& constants = estimator_.model().constants();
    const select::Scales scales = estimate_.scales->scales();
    Width width{.between = zero_if_rounding(parts.between / all),
                .missed = zero_if_rounding(parts.missed / all),
                .own = parts.own / all,
                .sessions = parts.levels() / all,
                .scale = scales.noise,
                .misfit_scale = scales.misfit,
                .spread = scales.level.value_or(0),
                .processes = project::processes_of(measured_),
                .points = {}};
    for (std::size_t i = 0; i < measured_.values.size() && !estimator_.is_whole(measured_); ++i) {
      const project::MeasurementCounts& counts = measured_.counts;
      const double share = scales.noise * scales.noise * fit_.measured_variances[i] / all;
      const double again = constants.measurement * constants.measurement / counts.measurements[i] /
                           constants.disturbance_variance(counts.iterations[i], counts.measurements[i]);
      width.measurements += share * again;
      width.iterations += share * (1 - again);
      width.points.push_back({selection_.points[counts.points[i]].id, share, change_without(i)});
    }
    std::ranges::stable_sort(width.points, std::greater{}, &PointPart::share);
    return width;
  }

  std::optional<double> change_without(std::size_t left_out) const {
    project::MeasuredPoints rest;
    if (!leave_out_ || measured_.values.size() < 3 || measured_.values.size() > kMostLeftOut) return std::nullopt;
    for (std::size_t i = 0; i < measured_.values.size(); ++i) {
      if (i == left_out) continue;
      rest.counts.points.push_back(measured_.counts.points[i]);
      rest.counts.iterations.push_back(measured_.counts.iterations[i]);
      rest.counts.measurements.push_back(measured_.counts.measurements[i]);
      rest.values.push_back(measured_.values[i]);
    }
    const project::RunEstimator::Fit fit = estimator_.fit(rest.counts);
    if (fit.no_interval != project::NoInterval::none) return std::nullopt;
    return (estimator_.total(fit, rest) - estimator_.total(fit_, measured_)) / estimate_.value;
  }

  /// The interval if its square becomes so much of what it is.
  std::optional<project::Interval> expected(const Series& series, double share) const {
    if (!series.interval) return std::nullopt;
    const double half = std::sqrt(share) * (series.interval->high - series.total);
    return project::Interval{series.total - half, series.total + half};
  }

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
    if (parts.levels() > std::max(parts.measured, of_points)) {
      next.what = NextStep::What::more_sessions;
      next.processes = project::processes_of(measured_);
      next.expected = expected(series, 1 - parts.processes / 2 / all);
      return next;
    }
    if (parts.measured < of_points) {  // repeats lower the smaller part only
      next.what = NextStep::What::more_points;
      next.points = 2 * selection_.points.size();
      return next;
    }
    const auto [more, fall] =
        project::after_measurements(selection_, estimator_, fit_, measured_.counts, series.measurements);
    const double noise = estimate_.scales->scales().noise;
    for (std::size_t i = 0; i < more.size(); ++i)
      if (more[i] > 0) next.measure.emplace_back(selection_.points[measured_.counts.points[i]].id, more[i]);
    std::ranges::stable_sort(next.measure, std::greater{}, &std::pair<std::string, std::uint64_t>::second);
    next.repeats = (series.measurements + series.points - 1) / series.points;
    next.expected = expected(series, 1 - noise * noise * fall / all);
    return next;
  }

  bool leave_out_;  ///< points one by one
  double confidence_;
  const select::Selection& selection_;
  const project::RunEstimator& estimator_;
  const project::MeasuredPoints& measured_;
  project::RunEstimator::Fit fit_;
  project::Estimate estimate_;
};

/// The record of a configuration's metric in earlier projections.
TruthRecord record_of(const Series& series, double truth, double confidence,
                      std::span<const project::Projection> earlier) {
  TruthRecord record{.truth = truth, .held = series.interval && holds(*series.interval, truth)};
  for (const project::Projection& projection : earlier)
    for (const project::ConfigurationProjection& c : projection.configurations)
      for (const project::MetricProjection& metric : c.metrics) {
        if (c.name != series.configuration || metric.name != series.metric || !metric.interval) continue;
        ++record.earlier_stated;
        record.earlier_held += holds(*metric.interval, truth) ? 1 : 0;
      }
  const std::uint64_t own = series.interval ? 1 : 0;
  record.probability =
      probability_of_so_few(record.earlier_held + (record.held ? 1 : 0), record.earlier_stated + own, confidence);
  return record;
}

bool wanted(const DiagnoseParams& params, const std::string& metric) {
  const auto& only = params.statistics;
  return trace::is_time_metric(metric) && (only.empty() || std::ranges::find(only, metric) != only.end());
}

void add_truths(Diagnosis& diagnosis, const DiagnoseParams& params) {
  for (const auto& [name, seconds] : params.truths) {
    const auto first = std::ranges::find(diagnosis.series, name, &Series::configuration);
    if (first == diagnosis.series.end())
      throw ParameterError("truth", ": there is no time of a configuration '" + name + "'",
                           "one of the configurations that were measured");
    first->truth = record_of(*first, seconds, params.confidence, params.earlier);
  }
}

}  // namespace

Diagnosis diagnose(const select::Selection& selection, std::span<const MeasuredConfiguration> configurations,
                   const DiagnoseParams& params) {
  for (const MeasuredConfiguration& c : configurations) {
    if (c.named == nullptr) throw std::invalid_argument("MeasuredConfiguration: named is null");
    profile::require_rows_of(c.named->measurements, c.tables, selection.points.size());
  }
  const project::RunEstimator estimator(selection, params.target);
  Diagnosis diagnosis{.confidence = params.confidence, .series = {}};
  std::vector<std::vector<profile::RowReading>> readings;
  for (const MeasuredConfiguration& c : configurations) {
    const profile::Measurements& measurements = c.named->measurements;
    for (std::size_t m = 0; m < measurements.metrics.size(); ++m) {
      const auto measured = project::measured_points(measurements, m, params.robust, params.between_processes);
      if (!measured || !wanted(params, measurements.metrics[m])) continue;
      readings.push_back(profile::readings_of(measurements.metrics[m], measurements, c.tables));
      Series& series = diagnosis.series.emplace_back();
      series.configuration = c.named->name;
      series.metric = measurements.metrics[m];
      series.points = measured->values.size();
      for (const auto& repeats : measurements.readings[m]) series.measurements += repeats.size();
      SeriesDiagnoser(selection, estimator, *measured, params.overhead_s, params).fill(series);
    }
  }
  std::map<Fault, std::size_t> series_of;  // in how many it can be found
  for (const std::vector<profile::RowReading>& series : readings)
    for (const Fault fault : find_faults(
                                 selection, estimator, series, [](Fault) { return 0; }, Depth::what_could_be_found)
                                 .seen)
      if (fault != Fault::misplaced) ++series_of[fault];
  const auto level = [&](Fault fault) {
    if (fault == Fault::misplaced) return kLevelOfContradictions;
    return kFalseAlarms / static_cast<double>(series_of.size() * series_of.at(fault));
  };
  for (std::size_t s = 0; s < readings.size(); ++s) {
    SeriesFaults faults = find_faults(selection, estimator, std::move(readings[s]), level,
                                      params.limits ? Depth::limits : Depth::findings);
    diagnosis.series[s].findings = std::move(faults.findings);
    diagnosis.series[s].unseen = std::move(faults.unseen);
    diagnosis.series[s].limits = std::move(faults.limits);
  }
  add_truths(diagnosis, params);
  return diagnosis;
}

std::vector<Finding> contradictions(const select::Selection& selection,
                                    std::span<const MeasuredConfiguration> configurations) {
  const auto level = [](Fault fault) { return fault == Fault::misplaced ? kLevelOfContradictions : 0; };
  const project::RunEstimator estimator(selection);
  std::vector<Finding> found;
  for (const MeasuredConfiguration& c : configurations) {
    const std::vector<std::string>& metrics = c.named->measurements.metrics;
    auto time = std::ranges::find(metrics, "runtime_s");
    if (time == metrics.end()) time = std::ranges::find_if(metrics, trace::is_time_metric);
    if (time == metrics.end()) continue;
    const std::vector<FoundFault> faults =
        find_faults(selection, estimator, profile::readings_of(*time, c.named->measurements, c.tables), level,
                    Depth::contradictions)
            .findings;
    const auto surest = std::ranges::min_element(faults, {}, &FoundFault::probability);
    if (surest != faults.end())
      found.push_back({.kind = findings::kContradiction,
                       .figures = {{"metric", *time}, {"probability", surest->probability}},
                       .subject = c.named->name});
  }
  return found;
}

}  // namespace seqpoint::diagnose
