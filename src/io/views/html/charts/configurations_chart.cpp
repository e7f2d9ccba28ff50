// Configurations compared: totals, and speedups over the baseline, with their intervals.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/row_panel.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

constexpr std::size_t kMaxMetrics = 6;  // drawn; the table has all

/// ", LOW to HIGH", or "; no interval: REASON". Empty if the interval has no width, or there is no reason.
std::string interval_text(const project::IntervalOrReason& interval) {
  if (interval && interval->low == interval->high) return "";
  return interval                  ? fmt::format(", {} to {}", number_text(interval->low), number_text(interval->high))
         : interval.reason.empty() ? ""
                                   : "; no interval: " + interval.reason;
}

/// Names of the metrics that are finite in some configuration, in the order of their first appearance.
std::vector<std::string> metrics_of(const project::Projection& projection) {
  std::vector<std::string> names;
  for (const project::ConfigurationProjection& configuration : projection.configurations)
    for (const project::MetricProjection& metric : configuration.metrics)
      if (std::isfinite(metric.value) && std::find(names.begin(), names.end(), metric.name) == names.end())
        names.push_back(metric.name);
  return names;
}

/// A row per configuration with its value of the metric. Configurations without a finite value are left out.
RowPanel totals_panel(const project::Projection& projection, const std::string& name) {
  RowPanel panel{.title = name + " of the whole run"};
  for (std::size_t c = 0; c < projection.configurations.size(); ++c) {
    const project::ConfigurationProjection& configuration = projection.configurations[c];
    const project::MetricProjection* const metric = project::find_metric(configuration, name);
    if (metric == nullptr || !std::isfinite(metric->value)) continue;
    if (metric->kind != project::MetricKind::total)
      panel.title = name + (metric->kind == project::MetricKind::rate ? ", mean rate" : ", maximum");
    const std::string tip = fmt::format("{}: {} {}{}", configuration.name, name, number_text(metric->value),
                                        interval_text(metric->interval));
    panel.rows.push_back(
        {configuration.name, amount_text(*metric, metric->value), {{c, metric->value, metric->interval, tip}}});
  }
  return panel;
}

/// A row per configuration with its speedup. Configurations without one are left out.
RowPanel speedups_panel(const project::Projection& projection, const std::string& name) {
  RowPanel panel{.title = "speedup over " + shortened(projection.baseline, 24), .reference = 1.0};
  for (std::size_t c = 0; c < projection.configurations.size(); ++c) {
    const project::ConfigurationProjection& configuration = projection.configurations[c];
    const project::Speedup* const speedup = find_speedup(configuration, name);
    if (speedup == nullptr) continue;
    const std::string tip = fmt::format("{}: speedup {}{}", configuration.name, number_text(speedup->value),
                                        interval_text(speedup->interval));
    panel.rows.push_back(
        {configuration.name, number_text(speedup->value, 3) + "×", {{c, speedup->value, speedup->interval, tip}}});
  }
  return panel;
}

/// The picture of a metric: its totals and, if more than one configuration has a speedup, the speedups below them.
std::string draw_configurations(const project::Projection& projection, const std::string& metric) {
  const RowPanel totals = totals_panel(projection, metric);
  const RowPanel speedups = speedups_panel(projection, metric);
  const bool two = speedups.rows.size() > 1;
  Svg svg(kPictureWidth, height_of(totals) + (two ? height_of(speedups) : 0), metric + " by configuration");
  draw_rows(svg, totals, 0);
  if (two) draw_rows(svg, speedups, height_of(totals));
  return svg.finish();
}

/// Measured totals compared with their projections, both without overheads, which traces do not include.
DataTable measured_table(const report::Report& report) {
  DataTable table{.columns = {"configuration", "metric", "measured", "projected", "difference_pct", "inside_interval"},
                  .id = "measured",
                  .caption = "Runs that were measured in full, compared with their projections"};
  for (const report::MeasuredTotal& total : report.measured_totals)
    table.rows.push_back({total.configuration, total.metric, total.measured, total.projected, 100 * total.difference,
                          !total.inside   ? ""
                          : *total.inside ? "yes"
                                          : "no"});
  return table;
}

}  // namespace

std::vector<Figure> configurations_figures(const report::Report& report) {
  if (report.source.projection == nullptr) return {};
  const project::Projection& projection = *report.source.projection;
  const std::vector<std::string> metrics = metrics_of(projection);
  std::vector<Figure> figures;
  for (std::size_t m = 0; m < std::min(metrics.size(), kMaxMetrics); ++m) {
    const std::string& name = metrics[m];
    figures.push_back({.id = m == 0 ? "configurations" : "configurations-" + std::to_string(m + 1),
                       .title = m == 0 ? "Configurations side by side" : name,
                       .words = "",
                       .picture = draw_configurations(projection, name),
                       .tables = {},
                       .folded = m > 0});
  }
  if (figures.empty()) return figures;
  DataTable& table = figures.front().tables.emplace_back(projection_rows(projection));
  table.id = "configurations";
  table.caption = "Every configuration and metric, for the whole run";
  if (!report.measured_totals.empty()) figures.front().tables.push_back(measured_table(report));
  figures.front().words =
      fmt::format("Projected to the whole run; whiskers are {} intervals.", confidence_text(projection.confidence));
  if (metrics.size() > kMaxMetrics)
    figures.back().words = count_text(metrics.size() - kMaxMetrics, "other metric") + " in the table above.";
  return figures;
}

}  // namespace seqpoint::io::views::html::charts
