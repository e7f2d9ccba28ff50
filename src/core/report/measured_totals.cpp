// Measured totals of the whole run, compared with the projected ones.
#include <cmath>

#include "core/report/report.hpp"

namespace seqpoint::report {
namespace {

/// The sum of a metric over a trace; nothing if the trace lacks it, or an iteration was not measured.
std::optional<double> total_of(const trace::Trace& trace, const std::string& name) {
  const trace::Metric* const metric = trace.find_metric(name);
  if (metric == nullptr) return std::nullopt;
  double total = 0;
  for (const double value : metric->values) {
    if (!std::isfinite(value)) return std::nullopt;
    total += value;
  }
  return total;
}

/// Overheads that the total of a metric includes, in seconds: a trace's iterations do not include them. 0 unless the
/// metric is a time.
double overheads_in(const project::Projection& projection, const project::MetricProjection& metric) {
  return projection.overheads && trace::is_time_metric(metric.name) ? projection.overheads->seconds : 0;
}

/// The configuration whose projected total is nearest to a measured one, by their ratio; its own in a tie.
std::string nearest_to(const MeasuredTotal& total, const project::Projection& projection) {
  const auto distance = [&](double projected) { return std::abs(std::log(total.measured / projected)); };
  std::string nearest = total.configuration;
  double least = distance(total.projected);
  for (const project::ConfigurationProjection& c : projection.configurations) {
    const project::MetricProjection* const metric = project::find_metric(c, total.metric);
    if (metric == nullptr || metric->kind != project::MetricKind::total || !(metric->value > 0)) continue;
    if (const double far = distance(metric->value - overheads_in(projection, *metric)); far < least) {
      least = far;
      nearest = c.name;
    }
  }
  return nearest;
}

/// Adds the comparison of each projected total that the trace has in every iteration, and that is not 0 there.
void add_totals(const project::Projection& projection, const project::ConfigurationProjection& configuration,
                const trace::NamedTrace& named, std::vector<MeasuredTotal>& totals) {
  for (const project::MetricProjection& metric : configuration.metrics) {
    if (metric.kind != project::MetricKind::total || !std::isfinite(metric.value)) continue;
    const std::optional<double> measured = total_of(named.trace, metric.name);
    if (!measured || *measured == 0) continue;
    const double beside = overheads_in(projection, metric), projected = metric.value - beside;
    MeasuredTotal total{.configuration = configuration.name,
                        .metric = metric.name,
                        .source = named.source,
                        .nearest = configuration.name,
                        .measured = *measured,
                        .projected = projected,
                        .difference = projected / *measured - 1,
                        .inside = {}};
    if (metric.interval)
      total.inside = metric.interval->low - beside <= *measured && *measured <= metric.interval->high - beside;
    if (total.inside != true) total.nearest = nearest_to(total, projection);
    totals.push_back(std::move(total));
  }
}

}  // namespace

std::vector<MeasuredTotal> measured_totals(const ReportSource& source) {
  std::vector<MeasuredTotal> totals;
  if (source.projection == nullptr || source.projection->target_run) return totals;
  for (const project::ConfigurationProjection& configuration : source.projection->configurations)
    for (const trace::NamedTrace& named : source.traces)
      if (named.name == configuration.name) add_totals(*source.projection, configuration, named, totals);
  return totals;
}

}  // namespace seqpoint::report
