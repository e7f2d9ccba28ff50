// The totals of the configurations with their processes, and the change over the baseline, with their intervals.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/views/ci.hpp"
#include "io/views/html/charts/charts.hpp"
#include "io/views/html/row_panel.hpp"
#include "seqpoint/error.hpp"

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

/// The estimates of single processes, which are of the time of the configuration.
std::vector<Dot> dots_of(const project::ConfigurationProjection& c, std::size_t series, const std::string& metric) {
  std::vector<Dot> dots;
  if (!c.processes || c.processes->metric != metric) return dots;
  for (const project::ProcessEstimate& process : c.process_estimates) {
    const std::string value = duration_text(process.value), disturbed = process.is_disturbed ? ", disturbed" : "";
    dots.push_back(
        {series, process.value, fmt::format("{}: {}{}", process.name, value, disturbed), process.is_disturbed});
  }
  return dots;
}

/// "time of the whole run" for runtime_s, else the metric's name; and how it adds up, if it is no total.
std::string title_of(const project::MetricProjection& metric) {
  if (metric.kind == project::MetricKind::rate) return metric.name + ", mean rate";
  if (metric.kind == project::MetricKind::max) return metric.name + ", maximum";
  return (metric.name == "runtime_s" ? "time" : metric.name) + " of the whole run";
}

/// A row per configuration with its value of the metric. Configurations without a finite value are left out.
RowPanel totals_panel(const project::Projection& projection, const std::string& name) {
  RowPanel panel{.title = "", .from_zero = false};
  bool is_time = false;
  double most = 0;
  for (std::size_t c = 0; c < projection.configurations.size(); ++c) {
    const project::ConfigurationProjection& configuration = projection.configurations[c];
    const project::MetricProjection* const metric = project::find_metric(configuration, name);
    if (metric == nullptr || !std::isfinite(metric->value)) continue;
    panel.title = title_of(*metric);
    is_time = project::is_total_time(*metric);
    most = std::max(most, metric->value);
    const std::string tip = fmt::format("{}: {} {}{}", configuration.name, name, number_text(metric->value),
                                        interval_text(metric->interval));
    panel.rows.push_back({configuration.name,
                          amount_text(*metric, metric->value),
                          {{c, metric->value, metric->interval, tip}},
                          dots_of(configuration, c, name)});
  }
  if (!is_time) return panel;
  const TimeUnit unit = time_unit(most);
  panel.title += std::string(", ") + unit.name;
  panel.unit = unit.seconds;
  return panel;
}

/// A row per configuration with its change over the baseline. Configurations without one, and the baseline, are left
/// out.
RowPanel changes_panel(const project::Projection& projection, const std::string& name) {
  RowPanel panel{.title = "change over " + shortened(projection.baseline, 24) + ", %", .reference = 0.0};
  for (std::size_t c = 0; c < projection.configurations.size(); ++c) {
    const project::ConfigurationProjection& configuration = projection.configurations[c];
    const project::Speedup* const speedup = find_speedup(configuration, name);
    if (speedup == nullptr || !(speedup->value > 0) || configuration.name == projection.baseline) continue;
    const double change = change_of(speedup->value);
    std::optional<project::Interval> percent = change_of(speedup->interval);
    std::string tip = fmt::format("{}: {}", configuration.name, signed_percent(change));
    if (percent) {
      tip += fmt::format(", {} to {}", signed_percent(percent->low), signed_percent(percent->high));
      percent = project::Interval{100 * percent->low, 100 * percent->high};
    }
    panel.rows.push_back({configuration.name, signed_percent(change), {{c, 100 * change, percent, tip}}});
  }
  return panel;
}

/// The picture of a metric: its totals and, if there are several configurations, the changes below them.
std::string draw_configurations(const project::Projection& projection, const std::string& metric) {
  const RowPanel totals = totals_panel(projection, metric);
  const RowPanel changes = changes_panel(projection, metric);
  const bool two = !changes.rows.empty();
  Svg svg(kPictureWidth, height_of(totals) + (two ? height_of(changes) : 0), metric + " by configuration");
  draw_rows(svg, totals, 0);
  if (two) draw_rows(svg, changes, height_of(totals));
  return svg.finish();
}

/// The rows of a projection, with changes in percent in place of speedups.
DataTable projection_data(const project::Projection& projection) {
  DataTable table = projection_rows(projection);
  const auto first = std::ranges::find(table.columns, "speedup") - table.columns.begin();
  const std::array<std::string, 3> columns{"change_pct", "change_low_pct", "change_high_pct"};
  std::ranges::copy(columns, table.columns.begin() + first);
  std::size_t row = 0;
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::MetricProjection& metric : c.metrics) {
      std::vector<Cell>& cells = table.rows[row++];
      std::fill_n(cells.begin() + first, columns.size(), Cell());
      const project::Speedup* const speedup = find_speedup(c, metric.name);
      if (speedup == nullptr || !(speedup->value > 0)) continue;
      cells[first] = 100 * change_of(speedup->value);
      if (const auto interval = change_of(speedup->interval)) {
        cells[first + 1] = 100 * interval->low;
        cells[first + 2] = 100 * interval->high;
      }
    }
  table.id = "configurations";
  table.caption = "Every configuration and metric, for the whole run";
  return table;
}

/// The estimates of single processes; no rows if no configuration has several.
DataTable processes_table(const project::Projection& projection) {
  DataTable table{.columns = {"configuration", "process", "value", "low", "high", "disturbed"},
                  .id = "processes",
                  .caption = "The time of the whole run by the measurements of each process alone"};
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::ProcessEstimate& process : c.process_estimates)
      table.rows.push_back({c.name, process.name, process.value, low_of(process.interval), high_of(process.interval),
                            process.is_disturbed ? "yes" : "no"});
  return table;
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
  const bool one = projection.configurations.size() == 1 && metrics.size() == 1;
  DataTable processes = processes_table(projection);
  if (one && processes.rows.empty()) return {};  // only the answer would be drawn
  std::vector<Figure> figures;
  for (std::size_t m = 0; m < std::min(metrics.size(), kMaxMetrics); ++m) {
    const std::string& name = metrics[m];
    figures.push_back({.id = m == 0 ? "configurations" : "configurations-" + std::to_string(m + 1),
                       .title = m > 0                                  ? name
                                : projection.configurations.size() > 1 ? "Configurations side by side"
                                                                       : "The whole run",
                       .words = "",
                       .picture = draw_configurations(projection, name),
                       .tables = {},
                       .folded = m > 0});
  }
  if (figures.empty()) return figures;
  figures.front().words = fmt::format("Whiskers are {} intervals.", confidence_text(projection.confidence));
  if (!one) figures.front().tables.push_back(projection_data(projection));
  if (!processes.rows.empty()) {
    figures.front().words += " Each small dot is a process, projected alone; a hollow one was disturbed.";
    figures.front().tables.push_back(std::move(processes));
  }
  if (!report.measured_totals.empty()) figures.front().tables.push_back(measured_table(report));
  if (metrics.size() > kMaxMetrics)
    figures.back().words = counted(metrics.size() - kMaxMetrics, "other metric") + " in the table above.";
  return figures;
}

}  // namespace seqpoint::io::views::html::charts
