#include "core/measuring/stretch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/findings.hpp"
#include "core/measuring/turns.hpp"
#include "core/numbers.hpp"

namespace seqpoint::measuring {
namespace {

/// Seconds of all batches; nothing if there are none, or one has no time above 0.
std::optional<double> seconds_of(const trace::Trace& stretch) {
  const trace::Metric* const times = stretch.find_metric(kMetric);
  if (times == nullptr || times->values.empty()) return {};
  double seconds = 0;
  for (const double time : times->values) {
    if (!(time > 0)) return {};
    seconds += time;
  }
  return seconds;
}

/// The number of different shapes of the stretch that are not known.
double new_shapes(std::set<trace::Shape>& known, const trace::Trace& stretch) {
  double count = 0;
  for (const trace::Shape& shape : stretch.shapes) count += known.insert(shape).second ? 1 : 0;
  return count;
}

bool contradict(const std::vector<Stretch>& stretches) {
  return std::ranges::any_of(stretches, &Stretch::is_off) || find_bias(stretches);
}

/// The mean of took over predicted if the stretches contradict the points; else 1.
double factor_of(const std::vector<Stretch>& stretches) {
  if (!contradict(stretches)) return 1;
  double sum = 0;
  for (const Stretch& stretch : stretches) sum += stretch.ratio();
  return sum / static_cast<double>(stretches.size());
}

void extend(project::IntervalOrReason& interval, double to) {
  if (!interval) return;
  for (project::Interval* const range : {&*interval, &interval.bounds})
    *range = {std::min(range->low, to), std::max(range->high, to)};
}

}  // namespace

std::optional<Stretch> compare_stretch(const select::Selection& selection, const project::NamedMeasurements& process,
                                       std::set<trace::Shape> known, const trace::Trace& stretch,
                                       project::ProjectParams params) {
  const std::optional<double> seconds = seconds_of(stretch);
  if (!seconds) return {};
  params.metrics = {std::string(kMetric)};
  params.confidence = kStretchConfidence;
  params.other_draws.reset();  // these batches are known
  const project::TargetRun target{.source = "stretch", .digest = "", .run = trace::summarise(stretch)};
  const project::Projection projection = project::project_onto(selection, target, std::span(&process, 1), params);
  const project::ConfigurationProjection& c = projection.configurations.front();
  const project::MetricProjection& steady = *project::find_metric(c, kMetric);
  const auto cold = std::ranges::find(c.cold_start, kMetric, &project::ColdStart::metric);
  const double first = cold == c.cold_start.end() ? 0 : new_shapes(known, stretch) * cold->seconds_each;
  Stretch found{.batches = stretch.size(), .predicted_s = steady.value + first, .took_s = *seconds};
  if (steady.interval) found.expected = project::Interval{steady.interval->low, steady.interval->high + 2 * first};
  return found;
}

std::optional<Bias> find_bias(const std::vector<Stretch>& stretches) {
  const auto n = static_cast<double>(stretches.size());
  if (stretches.size() < kFewestForBias) return {};
  double mean = 0, squares = 0;
  for (const Stretch& stretch : stretches) mean += std::log(stretch.ratio()) / n;
  for (const Stretch& stretch : stretches) squares += std::pow(std::log(stretch.ratio()) - mean, 2);
  const double half = two_sided_t_bound(1 - kBiasConfidence, n - 1) * std::sqrt(squares / (n - 1) / n);
  if (std::abs(mean) <= std::max(half, std::log1p(kLeastBias))) return {};
  return Bias{stretches.size(), std::exp(mean), {std::exp(mean - half), std::exp(mean + half)}};
}

Finding stretch_finding(const Stretch& stretch, const std::string& file) {
  const bool slower = stretch.took_s > stretch.predicted_s;
  return {.kind = slower ? findings::kSlowerStretch : findings::kFasterStretch,
          .place = {file},
          .figures = {{"count", stretch.batches},
                      {"change", 100 * std::abs(stretch.ratio() - 1)},
                      {"low", stretch.expected->low},
                      {"high", stretch.expected->high},
                      {"value", stretch.took_s}}};
}

bool widen(project::Projection& projection, const std::map<std::string, std::vector<Stretch>>& by_configuration) {
  const auto factor = [&](const std::string& name) {
    const auto found = by_configuration.find(name);
    return found == by_configuration.end() ? 1 : factor_of(found->second);
  };
  if (std::ranges::none_of(by_configuration, [](const auto& of) { return contradict(of.second); })) return false;
  const double base = factor(projection.baseline);
  for (project::ConfigurationProjection& c : projection.configurations) {
    const double here = factor(c.name);
    for (project::MetricProjection& metric : c.metrics)
      if (metric.name == kMetric) extend(metric.interval, metric.value * here);
    for (project::Speedup& speedup : c.speedups)
      if (speedup.metric == kMetric && c.name != projection.baseline)
        extend(speedup.interval, speedup.value * base / here);
  }
  return true;
}

}  // namespace seqpoint::measuring
