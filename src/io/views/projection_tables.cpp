// A projection as tables, a row a metric of a configuration. A new column is a cell of one of the two functions below.
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

/// A metric of a configuration, and what belongs to it.
struct MetricRow {
  const project::ConfigurationProjection& configuration;
  const project::MetricProjection& metric;
  const project::Throughput* throughput = nullptr;  ///< null unless the metric is the time that it is of
  const project::Speedup* speedup = nullptr;        ///< null where there is none
  std::optional<double> overhead = {};              ///< seconds that the total has in it
  const project::ColdStart* cold_start = nullptr;   ///< null unless the metric is a total that has one beside it
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

/// The farther end of the interval from the value, in percent of it (in its own unit where it is zero). Of the figures
/// as they are exported: what differs in later digits only is the arithmetic's.
std::string interval_spread_text(double exact, const std::optional<project::Interval>& interval) {
  if (!interval) return "";
  const double value = text::round12(exact),
               half = std::max(text::round12(interval->high) - value, value - text::round12(interval->low));
  return value == 0 ? number_text(half, 2) : number_text(100 * (half / std::abs(value)), 2) + " %";
}

std::string number_or_nothing(const std::optional<double>& value) { return value ? number_text(*value) : ""; }
std::string duration_or_nothing(const std::optional<double>& value) { return value ? duration_text(*value) : ""; }

/// The total with the cold start, which is of no other column.
std::vector<std::string> row_with_cold_start(const MetricRow& row, std::size_t columns) {
  std::vector<std::string> cells(columns);
  cells[0] = row.configuration.name;
  cells[1] = "with cold start";
  cells[2] = "about " + duration_text(row.metric.value + row.cold_start->about());
  return cells;
}

/// Columns that are shown though they are empty.
bool always_shown(std::string_view name) {
  constexpr std::array kNames{"per epoch", "samples/s", "tokens/s", "speedup"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

TextTable projection_table(const project::Projection& projection) {
  const std::string spread = fmt::format("± ({} %)", full_precision(100 * projection.confidence));
  TextTable table{{{"configuration", "metric", "whole run", spread, "of it overheads", "per epoch", "samples/s",
                    "tokens/s", "speedup", spread, "coverage"}},
                  2};
  const std::size_t columns = table.rows.front().size();
  for (const MetricRow& row : rows_of(projection)) {
    const auto& [configuration, metric, throughput, speedup, overhead, cold_start] = row;
    const bool compared = speedup != nullptr && configuration.name != projection.baseline;
    table.rows.push_back({configuration.name, metric.name, amount_text(metric, metric.value),
                          interval_spread_text(metric.value, metric.interval), duration_or_nothing(overhead),
                          metric.per_epoch ? amount_text(metric, *metric.per_epoch) : "",
                          throughput != nullptr ? number_text(throughput->samples_per_s) : "",
                          throughput != nullptr ? number_or_nothing(throughput->tokens_per_s) : "",
                          speedup != nullptr ? number_text(speedup->value, 3) + "x" : "",
                          compared ? interval_spread_text(speedup->value, speedup->interval) : "",
                          number_text(100 * metric.coverage, 4) + " %"});
    if (cold_start != nullptr && project::is_worth_adding(*cold_start, metric))
      table.rows.push_back(row_with_cold_start(row, columns));
  }
  return without_empty_columns(std::move(table), [](std::string_view name) { return !always_shown(name); });
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
                               metric.coverage, overhead, cold_start != nullptr ? cold_start->about() : Cell()});
  }
  return table;
}

}  // namespace seqpoint::io::views
