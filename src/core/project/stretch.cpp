#include "core/project/stretch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/findings.hpp"
#include "core/numbers.hpp"
#include "core/project/estimate.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {
namespace {

/// Seconds of all batches; nothing if there are none, or one has no time above 0.
std::optional<double> seconds_of(const trace::Trace& batches) {
  const trace::Metric* const times = batches.find_metric(kStretchMetric);
  if (times == nullptr || times->values.empty() || std::ranges::min(times->values) <= 0) return {};
  double seconds = 0;
  for (const double time : times->values) seconds += time;
  return seconds;
}

/// The number of different shapes of the batches that the process had not run before.
double new_shapes(const ConsecutiveBatches& ran) {
  std::set<trace::Shape> known = ran.known;
  double count = 0;
  for (const trace::Shape& shape : ran.batches.shapes) count += known.insert(shape).second ? 1 : 0;
  return count;
}

/// The batches whose shape the process had run before.
trace::Trace steady_batches(const ConsecutiveBatches& ran) {
  std::set<trace::Shape> known = ran.known;
  trace::Trace steady{.kind = ran.batches.kind};
  const trace::Metric* const times = ran.batches.find_metric(kStretchMetric);
  steady.metrics.push_back({std::string(kStretchMetric), {}});
  for (std::size_t i = 0; i < ran.batches.size(); ++i) {
    if (known.insert(ran.batches.shapes[i]).second) continue;
    steady.shapes.push_back(ran.batches.shapes[i]);
    steady.metrics.front().values.push_back(times->values[i]);
  }
  return steady;
}

/// A stretch, with the evidence that it is, and the cold start of its new shapes as a share of what is predicted.
struct Compared {
  Stretch stretch;
  profile::StretchEvidence evidence;
  double cold = 0;
  trace::Trace steady{};  ///< its batches that repeat a shape
};

/// Compares consecutive batches with the measurements `own` of their process, without a cold start.
std::optional<Compared> compare(const select::Selection& selection, const MeasuredPoints& own, std::size_t process,
                                const trace::Trace& batches) {
  const std::optional<double> seconds = seconds_of(batches);
  if (!seconds || own.values.empty()) return {};
  const trace::RunSummary run = trace::summarise(batches);
  require_same_shape(selection.run, run, "stretch");
  const RunEstimator estimator(selection, &run);
  const Estimate estimate = estimator.estimate(estimator.fit(own.counts), own);
  if (!(estimate.value > 0)) return {};
  Compared found{
      .stretch = {.process = process, .batches = batches.size(), .predicted_s = estimate.value, .took_s = *seconds},
      .evidence = {.process = process, .log_ratio = std::log(*seconds / estimate.value)}};
  if (!estimate.scales) return found;
  // The stretch has a level of its own, as another process would: within a process, stretches of 20 batches differ as
  // much as processes do.
  found.stretch.expected = *interval_of(estimate, kStretchConfidence);
  const double unit = std::pow(estimate.unit / estimate.value, 2);
  found.evidence.noise = estimate.parts.noise() * unit;
  found.evidence.misfit = estimate.parts.misfit * unit;
  found.evidence.other = (estimate.parts.amounts + variance_of(estimate).missed) * unit;
  return found;
}

/// Whether stretches deny a cold start: the slope of ln(took / predicted) over what the cold start adds, which is 1
/// where it is right, lies below 1 with 95 % confidence. Levels are taken to differ as usual.
bool deny(const std::vector<Compared>& stretches, const select::BetweenProcesses& between) {
  double products = 0, squares = 0;
  for (const Compared& one : stretches) {
    const double added = std::log1p(one.cold);
    const double variance =
        2 * between.median * between.median + one.evidence.noise + one.evidence.misfit + one.evidence.other;
    products += added * one.evidence.log_ratio / variance;
    squares += added * added / variance;
  }
  return squares > 0 && products / squares + kTwoSided95 / std::sqrt(squares) < 1;
}

/// Adds the cold start to what is predicted: about that, from nothing to twice that.
void add_cold_start(Stretch& stretch, double share) {
  if (stretch.expected) stretch.expected->high += 2 * share * stretch.predicted_s;
  stretch.predicted_s *= 1 + share;
}

}  // namespace

std::vector<Stretch> add_stretches(const select::Selection& selection, profile::Measurements& measured,
                                   std::span<const ConsecutiveBatches> ran, const ProjectParams& params) {
  measured.stretches.clear();
  measured.denies_cold_start = false;
  const auto metric =
      static_cast<std::size_t>(std::ranges::find(measured.metrics, kStretchMetric) - measured.metrics.begin());
  if (ran.empty() || metric == measured.metrics.size()) return {};
  const auto all = measured_points(measured, metric, params.median, params.between_processes);
  if (!all) return {};
  const std::optional<ColdStart> cold = cold_start_of(measured, metric, selection.run);
  const auto compared = [&](std::size_t process, const trace::Trace& batches) {
    return compare(selection, measured_by(*all, process, params.median), process, batches);
  };
  std::vector<Compared> stretches;
  for (const ConsecutiveBatches& one : ran) {
    std::optional<Compared> found = compared(one.process, one.batches);
    if (!found) continue;
    if (cold) found->cold = new_shapes(one) * cold->seconds_each / found->stretch.predicted_s;
    found->steady = steady_batches(one);
    stretches.push_back(std::move(*found));
  }
  measured.denies_cold_start = deny(stretches, all->between);
  std::vector<Stretch> found;
  for (Compared& one : stretches) {
    // What a cold start costs is known too badly to be taken off: where there is one, steady batches are compared.
    const bool is_cold = one.cold > 0 && !measured.denies_cold_start;
    const std::optional<Compared> steady = is_cold ? compared(one.stretch.process, one.steady) : one;
    if (steady && steady->stretch.expected) measured.stretches.push_back(steady->evidence);
    if (is_cold) add_cold_start(one.stretch, one.cold);
    found.push_back(one.stretch);
  }
  return found;
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

}  // namespace seqpoint::project
