// A projection as tables, one row per metric of a configuration. A new column is a cell of one of the two functions
// below.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/project/cold_start.hpp"
#include "io/text/shortest_number.hpp"
#include "io/views/cells.hpp"

namespace seqpoint::io::views {
namespace {

/// A metric of a configuration, with related results.
struct MetricRow {
  const project::ConfigurationProjection& configuration;
  const project::MetricProjection& metric;
  const project::Throughput* throughput = nullptr;  ///< null unless the metric is its time metric
  const project::Speedup* speedup = nullptr;        ///< null if there is none
  std::optional<double> overhead = {};              ///< seconds included in the total
  const project::ColdStart* cold_start = nullptr;   ///< null unless the metric is a total with a cold start
};

MetricRow row_of(const project::Projection& projection, const project::ConfigurationProjection& configuration,
                 const project::MetricProjection& metric) {
  MetricRow row{.configuration = configuration, .metric = metric, .speedup = find_speedup(configuration, metric.name)};
  if (configuration.throughput && configuration.throughput->time_metric == metric.name)
    row.throughput = &*configuration.throughput;
  if (projection.overheads && project::is_total_time(metric)) row.overhead = projection.overheads->seconds;
  if (metric.kind == project::MetricKind::total) row.cold_start = project::find_cold_start(configuration, metric.name);
  return row;
}

std::vector<MetricRow> rows_of(const project::Projection& projection) {
  std::vector<MetricRow> rows;
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::MetricProjection& metric : c.metrics) rows.push_back(row_of(projection, c, metric));
  return rows;
}

std::string number_or_nothing(const std::optional<double>& value) { return value ? number_text(*value) : ""; }
std::string duration_or_nothing(const std::optional<double>& value) { return value ? duration_text(*value) : ""; }

/// "LOW to HIGH", both rounded to 12 digits like exported figures, because later digits differ by rounding. Empty
/// without an interval.
std::string range_text(const std::optional<project::Interval>& interval, const auto& text_of) {
  if (!interval) return "";
  return text_of(text::round12(interval->low)) + " to " + text_of(text::round12(interval->high));
}

/// The optional parts of a table, depending on its rows.
struct ShownColumns {
  ShownColumns(const project::Projection& projection, const std::vector<MetricRow>& rows, bool with_throughput)
      : several_configurations(projection.configurations.size() > 1), throughput(with_throughput) {
    for (const MetricRow& row : rows) {
      several_metrics = several_metrics || row.metric.name != rows.front().metric.name;
      several_epochs = several_epochs || (row.metric.per_epoch && *row.metric.per_epoch != row.metric.value);
      all_measured = all_measured && row.metric.measured_weight == 1;
    }
  }

  bool several_configurations, throughput, several_metrics = false, several_epochs = false, all_measured = true;
};

/// The header for cells_of(). An empty name belongs to a column whose cells are all empty.
std::vector<std::string> header(const ShownColumns& shown, const project::Projection& projection) {
  const std::string interval = full_precision(100 * projection.confidence) + " % interval";
  return {"configuration",
          "metric",
          shown.several_epochs ? "whole run" : "epoch",
          interval,
          shown.several_epochs ? "per epoch" : "",
          "incl. overhead",
          "speedup",
          interval,
          shown.all_measured ? "" : "measured weight",
          "samples/s",
          "tokens/s",
          "MFU"};
}

/// The cells in the order of header(); empty if not shown or not known. The baseline has a speedup (1x), but no
/// interval of it.
std::vector<std::string> cells_of(const MetricRow& row, const ShownColumns& shown, const std::string& baseline) {
  const auto& [configuration, metric, throughput, speedup, overhead, cold_start] = row;
  const bool compared = speedup != nullptr && configuration.name != baseline,
             with_throughput = shown.throughput && throughput != nullptr;
  const auto amount = [&metric = metric](double value) { return amount_text(metric, value); };
  const auto times = [](double value) { return number_text(value, 3) + "x"; };
  return {configuration.name,
          shown.several_metrics ? metric.name : "",
          amount(metric.value),
          range_text(metric.interval, amount),
          shown.several_epochs && metric.per_epoch ? amount(*metric.per_epoch) : "",
          duration_or_nothing(overhead),
          shown.several_configurations && speedup != nullptr ? times(speedup->value) : "",
          compared ? range_text(speedup->interval, times) : "",
          shown.all_measured ? "" : percent_text(metric.measured_weight, 3),
          with_throughput ? number_text(throughput->samples_per_s) : "",
          with_throughput ? number_or_nothing(throughput->tokens_per_s) : "",
          throughput != nullptr && throughput->mfu ? percent_text(*throughput->mfu, 2) : ""};
}

/// The row of the total with the cold start, which has no interval. Requires `row.cold_start`.
std::vector<std::string> row_with_cold_start(const MetricRow& row, const ShownColumns& shown, std::size_t columns) {
  std::vector<std::string> cells(columns);
  cells[0] = row.configuration.name + ", with cold start";
  if (shown.several_metrics) cells[1] = row.metric.name;
  cells[2] = "about " + duration_text(row.metric.value + row.cold_start->about());
  return cells;
}

}  // namespace

TextTable projection_table(const project::Projection& projection, bool with_throughput) {
  const std::vector<MetricRow> rows = rows_of(projection);
  const ShownColumns shown(projection, rows, with_throughput);
  TextTable table{{header(shown, projection)}, shown.several_metrics ? 2U : 1U};
  const std::size_t columns = table.rows.front().size();
  for (const MetricRow& row : rows) {
    table.rows.push_back(cells_of(row, shown, projection.baseline));
    if (row.cold_start != nullptr && project::is_worth_adding(*row.cold_start, row.metric))
      table.rows.push_back(row_with_cold_start(row, shown, columns));
  }
  return without_empty_columns(std::move(table));
}

TextTable truth_table(std::span<const report::MeasuredTotal> totals) {
  TextTable table{{{"configuration", "metric", "projected", "measured", "error", "in the interval"}}, 2};
  for (const auto& [configuration, metric, measured, projected, difference, inside] : totals) {
    const bool is_time = trace::is_time_metric(metric);
    table.rows.push_back({configuration, metric, is_time ? duration_text(projected) : number_text(projected),
                          is_time ? duration_text(measured) : number_text(measured), percent_text(difference),
                          !inside   ? ""
                          : *inside ? "yes"
                                    : "no"});
  }
  return table;
}

DataTable projection_rows(const project::Projection& projection) {
  DataTable table{{"configuration", "metric", "kind", "value", "low", "high", "per_epoch", "samples_per_s",
                   "tokens_per_s", "padded_tokens_per_s", "speedup", "speedup_low", "speedup_high", "coverage",
                   "overhead_s", "cold_start_s"}};
  for (const MetricRow& row : rows_of(projection)) {
    const auto& [configuration, metric, throughput, speedup, overhead, cold_start] = row;
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells = {
        configuration.name,       metric.name,     project::name_of(metric.kind), metric.value, low_of(metric.interval),
        high_of(metric.interval), metric.per_epoch};
    add_throughput(cells, throughput);
    const auto interval = speedup != nullptr ? speedup->interval : project::IntervalOrReason();
    cells.insert(cells.end(), {speedup != nullptr ? speedup->value : Cell(), low_of(interval), high_of(interval),
                               metric.measured_weight, overhead, cold_start != nullptr ? cold_start->about() : Cell()});
  }
  return table;
}

}  // namespace seqpoint::io::views
