// The other run's every signature is taken for a point whose values are read off the curves: `project` then adds up,
// and only coverage, which is that of the points measured, and the intervals are of its own.
#include "seqpoint/projection_onto.hpp"

#include <algorithm>
#include <map>

#include "curve_interval.hpp"
#include "averages.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

/// Curves of one configuration's metrics; one that was measured at no point has none.
using Curves = std::map<std::string, CostCurve>;

/// The batch size of the iterations that are profiled first.
std::optional<std::uint32_t> usual_batch_size(const PointKey& key, const RunSummary& run) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const SignatureCount& entry : run.histogram)
    if (key.matches(entry.signature)) counts[entry.signature.batch_size] += entry.count;
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

std::vector<PointKey> keys_of(const Selection& selection) {
  std::vector<PointKey> keys;
  for (const Point& point : selection.points) {
    keys.push_back(point.key);
    if (!keys.back().batch_size) keys.back().batch_size = usual_batch_size(point.key, selection.run);
  }
  return keys;
}

Curves curves_of(std::span<const PointKey> keys, const Measurements& measured, bool robust) {
  Curves curves;
  for (std::size_t m = 0; m < measured.metrics.size(); ++m) {
    std::vector<PointKey> at;
    std::vector<double> values;
    for (std::size_t p = 0; p < keys.size(); ++p) {
      if (measured.values[m][p].empty()) continue;
      at.push_back(keys[p]);
      values.push_back(robust ? median(measured.values[m][p]) : mean(measured.values[m][p]));
    }
    if (!at.empty()) curves.emplace(measured.metrics[m], CostCurve(at, values));
  }
  return curves;
}

/// The other run, with a point for every signature.
Selection everything_of(const RunSummary& run) {
  Selection all;
  all.run = run;
  for (const auto& [signature, count] : run.histogram) {
    const auto tgt_len = run.paired ? std::optional(signature.tgt_len) : std::nullopt;
    const auto sq_tokens = run.varlen ? std::optional(signature.sq_tokens) : std::nullopt;
    all.points.push_back({{},
                          {signature.src_len, tgt_len, signature.batch_size, sq_tokens},
                          {static_cast<std::int64_t>(count) * Weight::kUnit},
                          {},
                          {}});
  }
  return all;
}

NamedMeasurements read_off(const NamedMeasurements& named, const Curves& curves, const RunSummary& run) {
  NamedMeasurements all{named.name, {.metrics = named.measurements.metrics, .values = {}, .rows = run.iterations, .matched_rows = run.iterations,
                                     .places = {}, .unmatched = {}}};
  for (const std::string& metric : named.measurements.metrics) {
    auto& values = all.measurements.values.emplace_back(run.histogram.size());
    const auto curve = curves.find(metric);
    if (curve == curves.end()) continue;
    for (std::size_t h = 0; h < values.size(); ++h) values[h] = {curve->second(run.histogram[h].signature)};
  }
  return all;
}

/// The figures of one configuration with their intervals.
class IntervalSetter {
 public:
  IntervalSetter(const Curves& curves, const Onto& other, const ProjectParams& params) : params_(params) {
    for (const auto& [metric, curve] : curves) totals_.emplace(metric, total_over(curve, other.run.histogram));
  }

  const std::map<std::string, CurveTotal>& totals() const { return totals_; }

  void set(MetricProjection& metric) const {
    metric.interval.reset();
    const auto rate = std::find_if(params_.rates.begin(), params_.rates.end(),
                                   [&](const RateSpec& r) { return r.name == metric.name; });
    if (rate != params_.rates.end()) {
      metric.interval = interval_of_ratio(totals_.at(rate->numerator), totals_.at(rate->denominator),
                                          params_.confidence, metric.interval_note);
    } else if (metric.kind == MetricKind::total) {
      metric.interval = interval_of(totals_.at(metric.name), params_.confidence);
      metric.interval_note = totals_.at(metric.name).no_interval;
    } else {
      metric.interval_note = metric.kind == MetricKind::max
                                 ? "the largest of interpolated values has none"
                                 : "a mean of interpolated rates has none; --rate NAME=A/B has";
    }
  }

  void set(Speedup& speedup, const IntervalSetter& baseline) const {
    speedup.interval = this == &baseline
                           ? std::optional(Interval{1, 1})
                           : interval_of_ratio(baseline.totals_.at(speedup.metric), totals_.at(speedup.metric),
                                               params_.confidence, speedup.interval_note);
    if (speedup.interval) speedup.interval_note.clear();
  }

 private:
  const ProjectParams& params_;
  std::map<std::string, CurveTotal> totals_;
};

void require_same_signature(const RunSummary& chosen_from, const Onto& other) {
  if (chosen_from.varlen != other.run.varlen)
    throw InputError({other.source}, std::string("is of a run with") + (chosen_from.varlen ? "" : "out") + " padding, but the points are of one with" +
                                         (chosen_from.varlen ? "out" : ""),
                     "both have to be selected with the same --signature");
  if (chosen_from.paired && !other.run.paired)
    throw InputError({other.source, 0, "tgt_len"},
                     "is not there, but the points are of a run with source and target lengths",
                     "scan the other run with its target side too (--tgt)");
  if (!chosen_from.paired && other.run.paired)
    throw InputError({other.source, 0, "tgt_len"}, "is there, but the points are of a run with one length",
                     "select and profile points of a run with both sides (--tgt)");
}

/// Of what was measured, coverage and all; of the other run, the figures.
void take_figures(ConfigurationProjection& to, ConfigurationProjection& from) {
  for (MetricProjection& metric : from.metrics)
    for (const MetricProjection& measured : to.metrics)
      if (measured.name == metric.name) metric.coverage = measured.coverage;
  to.metrics = std::move(from.metrics);
  to.throughput = std::move(from.throughput);
  to.speedups = std::move(from.speedups);
}

}  // namespace

Projection project_onto(const Selection& selection, const Onto& other,
                        std::span<const NamedMeasurements> configurations, const ProjectParams& params) {
  require_same_signature(selection.run, other);
  Projection projection = project(selection, configurations, params);
  const std::vector<PointKey> keys = keys_of(selection);
  std::vector<NamedMeasurements> read;
  std::vector<IntervalSetter> intervals;
  for (const NamedMeasurements& named : configurations) {
    const Curves curves = curves_of(keys, named.measurements, params.robust);
    read.push_back(read_off(named, curves, other.run));
    intervals.emplace_back(curves, other, params);
  }
  Projection figures = project(everything_of(other.run), read, params);
  projection.notes = std::move(figures.notes);
  projection.onto = other;
  std::size_t baseline = 0;
  while (configurations[baseline].name != projection.baseline) ++baseline;
  for (std::size_t c = 0; c < intervals.size(); ++c) {
    take_figures(projection.configurations[c], figures.configurations[c]);
    for (MetricProjection& metric : projection.configurations[c].metrics) intervals[c].set(metric);
    for (Speedup& speedup : projection.configurations[c].speedups) intervals[c].set(speedup, intervals[baseline]);
    for (const auto& [name, total] : intervals[c].totals()) {
      projection.onto->extrapolated_share = std::max(projection.onto->extrapolated_share, total.iterations_outside);
      projection.onto->farthest = std::max(projection.onto->farthest, total.farthest);
    }
  }
  return projection;
}

}  // namespace seqpoint
