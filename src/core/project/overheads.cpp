#include "seqpoint/project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/project/configuration_projector.hpp"
#include "core/project/first_seen.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

const MetricProjection* find_total_time(const ConfigurationProjection& configuration, const std::string& name) {
  const MetricProjection* const metric = find_metric(configuration, name);
  return metric != nullptr && is_total_time(*metric) ? metric : nullptr;
}

/// Seconds beside the iterations of a total.
struct Added {
  double seconds = 0, half_width = 0, half_width_without = 0;  ///< as FirstSeenCost has them
};

/// A speedup s of a total y after the baseline's total grows by `base` seconds and this one by `own`:
/// (s y + base) / (y + own).
double speedup_with(double speedup, double total, double own, double base) {
  return (speedup * total + base) / (total + own);
}

/// Its range over all s and y of two intervals: it grows with s, and its slope in y has one sign. s keeps the speedup's
/// own interval, because the errors of the two totals are often correlated, and the ratio of their intervals would be
/// much wider; y decides only how much the seconds weigh.
Interval speedup_with(const Interval& speedup, const Interval& total, double own, double base) {
  const double low = std::max(total.low, 0.0), high = total.high;  // no time is below zero
  return {std::min(speedup_with(speedup.low, low, own, base), speedup_with(speedup.low, high, own, base)),
          std::max(speedup_with(speedup.high, low, own, base), speedup_with(speedup.high, high, own, base))};
}

/// Errors of seconds that are not exactly known are of other measurements than those of s: squares add up, on the
/// logarithm.
Interval with_half_width(const Interval& interval, double value, double half) {
  if (half == 0) return interval;
  return {value * std::exp(-std::hypot(std::log(value / interval.low), half)),
          value * std::exp(std::hypot(std::log(interval.high / value), half))};
}

void add_seconds(Speedup& speedup, const MetricProjection& total, const Added& own, const Added& base) {
  const double of_base = speedup.value * total.value + base.seconds, of_own = total.value + own.seconds;
  speedup.value = of_base / of_own;
  if (!speedup.interval) return;
  if (total.interval)
    speedup.interval = with_half_width(speedup_with(*speedup.interval, *total.interval, own.seconds, base.seconds),
                                       speedup.value, std::hypot(base.half_width / of_base, own.half_width / of_own));
  else
    speedup.interval = std::string("the total has no interval, so that it is not known how much the overheads weigh");
}

void add_seconds(MetricProjection& total, const Added& more, double epochs) {
  if (total.interval) total.interval = with_seconds(*total.interval, total.value, more.seconds, more.half_width);
  total.value += more.seconds;
  if (total.per_epoch) total.per_epoch = total.value / epochs;
}

/// Its half-widths are of the total before these.
void add_seconds(ProcessPart& part, double total, const Added& more) {
  const auto with = [&](double half, double added) { return std::hypot(half * total, added) / (total + more.seconds); };
  part.half_width = with(part.half_width, more.half_width);
  part.half_width_without = with(part.half_width_without, more.half_width_without);
}

/// The seconds are computed from the throughput, because --metric may leave the metric of time out. False where there
/// are no samples.
bool add_seconds(Throughput& throughput, const trace::RunSummary& run, double more) {
  if (run.samples == 0) return false;
  const double seconds = static_cast<double>(run.samples) / throughput.samples_per_s,
               factor = seconds / (seconds + more);
  throughput.samples_per_s *= factor;
  if (throughput.tokens_per_s) *throughput.tokens_per_s *= factor;
  throughput.padded_tokens_per_s *= factor;
  return true;
}

/// What is added to one metric of a configuration: what was given, and what was measured.
Added added_to(const ConfigurationProjection& configuration, const std::string& metric, double given) {
  const FirstSeenCost* const measured = find_first_seen(configuration, metric);
  if (measured == nullptr) return {given};
  return {given + measured->seconds, measured->half_width, measured->half_width_without};
}

/// Adds to all figures of a configuration what they get beside `given` seconds; false where none is of seconds.
bool add_seconds(ConfigurationProjection& configuration, const trace::RunSummary& run, double given,
                 const ConfigurationProjection& baseline) {
  for (Speedup& speedup : configuration.speedups)
    if (const MetricProjection* const total = find_total_time(configuration, speedup.metric);
        total != nullptr && configuration.name != baseline.name)
      add_seconds(speedup, *total, added_to(configuration, speedup.metric, given),
                  added_to(baseline, speedup.metric, given));
  bool any = configuration.throughput &&
             add_seconds(*configuration.throughput, run,
                         added_to(configuration, configuration.throughput->time_metric, given).seconds);
  for (MetricProjection& metric : configuration.metrics) {
    if (!is_total_time(metric)) continue;
    const Added more = added_to(configuration, metric.name, given);
    if (configuration.processes && configuration.processes->metric == metric.name)
      add_seconds(*configuration.processes, metric.value, more);
    add_seconds(metric, more, static_cast<double>(run.epochs));
    if (configuration.partial.empty() && metric.interval && metric.interval->high >= 2 * metric.value)  // ± 100 %
      configuration.partial = reaches_zero_text(metric.name);
    any = true;
  }
  return any;
}

/// Takes out what only some have, or have otherwise: of configurations side by side all have it of a metric, or none.
void leave_out_one_sided(Projection& projection) {
  std::set<std::string> one_sided;
  for (const ConfigurationProjection& with : projection.configurations)
    for (const FirstSeenCost& cost : with.first_seen)
      for (const ConfigurationProjection& c : projection.configurations) {
        const FirstSeenCost* const other = find_first_seen(c, cost.metric);
        const bool has = other != nullptr;
        if (has ? told_alike(cost, *other) : find_total_time(c, cost.metric) == nullptr) continue;
        if (!one_sided.insert(cost.metric).second) continue;
        projection.notes.push_back(fmt::format(
            "{}: first executions were measured for {} and {} for {}: what shapes cost when they are new is "
            "in neither; `first_seen_cost` adds it to both",
            cost.metric, with.name, has ? "otherwise, behind other shapes or rows without lengths," : "not", c.name));
      }
  for (ConfigurationProjection& c : projection.configurations)
    std::erase_if(c.first_seen, [&](const FirstSeenCost& cost) { return one_sided.contains(cost.metric); });
}

bool has_rates(const Projection& projection) {
  return std::ranges::any_of(projection.configurations, [](const ConfigurationProjection& c) {
    return std::ranges::find(c.metrics, MetricKind::rate, &MetricProjection::kind) != c.metrics.end();
  });
}

}  // namespace

void add_overheads(Projection& projection, const trace::RunSummary& run, double per_epoch_s,
                   std::optional<double> first_seen_s) {
  double given = 0;
  if (per_epoch_s > 0 || first_seen_s) {
    const std::uint64_t signatures = run.histogram.size();
    given = per_epoch_s * static_cast<double>(run.epochs) + first_seen_s.value_or(0) * static_cast<double>(signatures);
    projection.overheads = Overheads{.per_epoch_s = per_epoch_s,
                                     .first_seen_s = first_seen_s.value_or(0),
                                     .signatures = signatures,
                                     .seconds = given};
  }
  if (first_seen_s)
    for (ConfigurationProjection& c : projection.configurations) c.first_seen.clear();
  leave_out_one_sided(projection);
  const bool measured =
      std::ranges::any_of(projection.configurations, [](const auto& c) { return !c.first_seen.empty(); });
  if (!projection.overheads && !measured) return;
  const ConfigurationProjection baseline =
      *std::ranges::find(projection.configurations, projection.baseline, &ConfigurationProjection::name);
  bool any = false;
  for (ConfigurationProjection& c : projection.configurations) any = add_seconds(c, run, given, baseline) || any;
  if (!any && projection.overheads)
    throw ParameterError("overhead", "and `first_seen_cost`: no configuration has a total of seconds to add them to",
                         "measure a column whose name ends in _s, such as runtime_s");
  if (has_rates(projection))
    projection.notes.emplace_back(
        "rates are of the iterations alone: overheads are in totals of seconds and in throughput");
}

}  // namespace seqpoint::project
