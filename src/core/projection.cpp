#include "seqpoint/projection.hpp"

#include <algorithm>
#include <set>

#include "configuration_projector.hpp"
#include "seqpoint/error.hpp"
#include "uncertainty.hpp"

namespace seqpoint {
namespace {

/// Projects, compares and states the intervals of all configurations together.
class Projector {
 public:
  Projector(const Selection& selection, std::span<const NamedMeasurements> configurations, const ProjectParams& params)
      : uncertainty_(selection, params.confidence) {
    out_.confidence = params.confidence;
    out_.baseline = params.baseline.empty() ? configurations.front().name : params.baseline;
    projectors_.reserve(configurations.size());
    for (const NamedMeasurements& c : configurations) {
      projectors_.emplace_back(selection, c, params, out_.notes);
      out_.configurations.push_back(projectors_.back().run());
    }
  }

  Projection run() {
    std::set<std::string> totals;
    for (ConfigurationProjection& configuration : out_.configurations)
      for (MetricProjection& metric : configuration.metrics) {
        if (metric.kind == MetricKind::total)
          totals.insert(metric.name);
        else
          state_other(configuration, metric);
      }
    for (const std::string& name : totals) state_totals(name);
    add_speedups();
    for (const std::string& name : totals) state_speedups(name);
    return std::move(out_);
  }

 private:
  template <class Figure>
  static void state(Figure& figure, Stated stated) {
    figure.interval = stated.interval;
    figure.interval_note = std::move(stated.note);
  }

  MeasuredPoints assessed(MeasuredPoints points) const {
    uncertainty_.assess(points);
    return points;
  }

  void state_other(const ConfigurationProjection& configuration, MetricProjection& metric) const {
    if (metric.kind == MetricKind::max) return state(metric, {{}, "the largest of a few values has no interval of this kind"});
    const auto c = static_cast<std::size_t>(&configuration - out_.configurations.data());
    const auto parts = projectors_[c].parts_of_rate(metric.name);
    if (!parts) return state(metric, {{}, "no time was measured along it"});
    const MeasuredPoints below = assessed(parts->second);
    state(metric, uncertainty_.ratios(assessed(parts->first), std::span(&below, 1)).front());
  }

  void state_totals(const std::string& name) {
    std::vector<MeasuredPoints> measured;
    std::vector<MetricProjection*> metrics;
    for (std::size_t c = 0; c < projectors_.size(); ++c)
      for (MetricProjection& metric : out_.configurations[c].metrics) {
        if (metric.name != name || metric.kind != MetricKind::total) continue;
        measured.push_back(assessed(*projectors_[c].measured(name)));
        metrics.push_back(&metric);
      }
    std::vector<Stated> stated = uncertainty_.totals(measured);
    for (std::size_t i = 0; i < metrics.size(); ++i) state(*metrics[i], std::move(stated[i]));
  }

  std::size_t base() const {
    const auto found = std::find_if(out_.configurations.begin(), out_.configurations.end(),
                                    [&](const auto& c) { return c.name == out_.baseline; });
    return static_cast<std::size_t>(found - out_.configurations.begin());
  }

  void add_speedups() {
    for (ConfigurationProjection& configuration : out_.configurations)
      for (const MetricProjection& metric : configuration.metrics) {
        if (metric.kind != MetricKind::total) continue;
        for (const MetricProjection& reference : out_.configurations[base()].metrics)
          if (reference.name == metric.name && reference.kind == metric.kind && metric.value != 0 && reference.value != 0)
            configuration.speedups.push_back({metric.name, reference.value / metric.value, {}, ""});
      }
  }

  void state_speedups(const std::string& name) {
    std::vector<MeasuredPoints> others;
    std::vector<Speedup*> speedups;
    for (std::size_t c = 0; c < projectors_.size(); ++c)
      for (Speedup& speedup : out_.configurations[c].speedups) {
        if (speedup.metric != name) continue;
        if (c == base()) {
          speedup.interval = Interval{1, 1};
          continue;
        }
        others.push_back(assessed(*projectors_[c].measured(name)));
        speedups.push_back(&speedup);
      }
    if (others.empty()) return;
    std::vector<Stated> stated = uncertainty_.ratios(assessed(*projectors_[base()].measured(name)), others);
    for (std::size_t i = 0; i < speedups.size(); ++i) state(*speedups[i], std::move(stated[i]));
  }

  Uncertainty uncertainty_;
  Projection out_;
  std::vector<ConfigurationProjector> projectors_;
};

void require_known(std::span<const NamedMeasurements> configurations, const std::string& metric, const char* option) {
  std::set<std::string> known;
  for (const NamedMeasurements& c : configurations)
    known.insert(c.measurements.metrics.begin(), c.measurements.metrics.end());
  if (known.contains(metric)) return;
  std::string hint;
  for (const std::string& name : known) hint += (hint.empty() ? "the profiles have: " : ", ") + name;
  throw UsageError(std::string(option) + ": no profile has a metric '" + metric + "'", hint);
}

void check(std::span<const NamedMeasurements> configurations, const ProjectParams& params) {
  for (const std::string& statistic : params.statistics) require_known(configurations, statistic, "--stat");
  for (const auto& [name, kind] : params.kinds) require_known(configurations, name, "--kind");
  std::set<std::string> names;
  for (const NamedMeasurements& c : configurations) names.insert(c.measurements.metrics.begin(), c.measurements.metrics.end());
  for (const RateSpec& rate : params.rates)
    if (!names.insert(rate.name).second)
      throw UsageError("--rate " + rate.name + ": there is a metric of that name already", "choose another name");
  for (const NamedMeasurements& c : configurations)
    if (params.baseline.empty() || c.name == params.baseline) return;
  throw UsageError("--baseline: there is no configuration '" + params.baseline + "'",
                   "one of the names given with --profile NAME=FILE");
}

}  // namespace

Projection project(const Selection& selection, std::span<const NamedMeasurements> configurations,
                   const ProjectParams& params) {
  check(configurations, params);
  return Projector(selection, configurations, params).run();
}

}  // namespace seqpoint
