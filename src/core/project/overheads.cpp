#include "seqpoint/project/overheads.hpp"

#include <algorithm>

#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

bool is_total_time(const MetricProjection& metric) {
  return metric.kind == MetricKind::total && trace::is_time_metric(metric.name);
}

const MetricProjection* find_total_time(const ConfigurationProjection& configuration, const std::string& name) {
  for (const MetricProjection& metric : configuration.metrics)
    if (metric.name == name && is_total_time(metric)) return &metric;
  return nullptr;
}

/// A speedup s of a total y after both totals grow by `more` seconds: (s y + more) / (y + more).
double speedup_with_overheads(double speedup, double total, double more) {
  return (speedup * total + more) / (total + more);
}

/// Its range over all s and y of two intervals. It grows with s, and its slope in y has the sign of s - 1, so that the
/// ends lie at corners. s keeps the speedup's own interval, because the errors of the two totals are often correlated,
/// and the ratio of their intervals would be much wider; y decides only how much the overheads weigh.
Interval speedup_with_overheads(const Interval& speedup, const Interval& total, double more) {
  const double low = std::max(total.low, 0.0), high = total.high;  // no time is below zero
  return {speedup_with_overheads(speedup.low, speedup.low > 1 ? low : high, more),
          speedup_with_overheads(speedup.high, speedup.high > 1 ? high : low, more)};
}

void add_seconds(Speedup& speedup, const MetricProjection& total, double more) {
  speedup.value = speedup_with_overheads(speedup.value, total.value, more);
  if (!speedup.interval) return;
  if (total.interval) {
    speedup.interval = speedup_with_overheads(*speedup.interval, *total.interval, more);
  } else {
    speedup.interval.reset();
    speedup.interval_note = "the total has no interval, so that it is not known how much the overheads weigh";
  }
}

void add_seconds(MetricProjection& total, double more, double epochs) {
  total.value += more;
  if (total.per_epoch) total.per_epoch = total.value / epochs;
  if (total.interval) total.interval = Interval{total.interval->low + more, total.interval->high + more};
}

/// The seconds are computed from the throughput, because --stat may leave the metric of time out. False where there are
/// no samples.
bool add_seconds(Throughput& throughput, const trace::RunSummary& run, double more) {
  if (run.samples == 0) return false;
  const double seconds = static_cast<double>(run.samples) / throughput.samples_per_s,
               factor = seconds / (seconds + more);
  throughput.samples_per_s *= factor;
  if (throughput.tokens_per_s) *throughput.tokens_per_s *= factor;
  throughput.padded_tokens_per_s *= factor;
  return true;
}

/// Adds `more` seconds to all figures of a configuration; false where none is of seconds.
bool add_seconds(ConfigurationProjection& configuration, const trace::RunSummary& run, double more, bool is_baseline) {
  for (Speedup& speedup : configuration.speedups)
    if (const MetricProjection* const total = find_total_time(configuration, speedup.metric);
        total != nullptr && !is_baseline)
      add_seconds(speedup, *total, more);
  bool any = configuration.throughput && add_seconds(*configuration.throughput, run, more);
  for (MetricProjection& metric : configuration.metrics) {
    if (!is_total_time(metric)) continue;
    add_seconds(metric, more, static_cast<double>(run.epochs));
    any = true;
  }
  return any;
}

bool has_rates(const Projection& projection) {
  return std::any_of(projection.configurations.begin(), projection.configurations.end(), [](const auto& c) {
    return std::any_of(c.metrics.begin(), c.metrics.end(),
                       [](const auto& metric) { return metric.kind == MetricKind::rate; });
  });
}

}  // namespace

void add_overheads(Projection& projection, const trace::RunSummary& run, double per_epoch_s, double first_seen_s) {
  const std::uint64_t signatures = run.histogram.size();
  const double more = per_epoch_s * static_cast<double>(run.epochs) + first_seen_s * static_cast<double>(signatures);
  projection.overheads =
      Overheads{.per_epoch_s = per_epoch_s, .first_seen_s = first_seen_s, .signatures = signatures, .seconds = more};
  bool any = false;
  for (ConfigurationProjection& c : projection.configurations)
    any = add_seconds(c, run, more, c.name == projection.baseline) || any;
  if (!any)
    throw ParameterError("overhead", "and `first_seen_cost`: no configuration has a total of seconds to add them to",
                         "measure a column whose name ends in _s, such as runtime_s");
  if (has_rates(projection))
    projection.notes.emplace_back(
        "rates are of the iterations alone: overheads are in totals of seconds and in throughput");
}

}  // namespace seqpoint::project
