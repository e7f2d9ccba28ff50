// A projection as tables, one row per metric of a configuration: columns of names, then those of
// projection_columns.cpp.
#include <fmt/core.h>

#include <algorithm>

#include "core/project/projection.hpp"
#include "io/text/number.hpp"
#include "io/views/amounts.hpp"
#include "io/views/cells.hpp"
#include "io/views/ci.hpp"
#include "io/views/projection_columns.hpp"

namespace seqpoint::io::views {
namespace {

MetricRow row_of(const project::Projection& projection, const project::ConfigurationProjection& configuration,
                 const project::MetricProjection& metric) {
  MetricRow row{.configuration = configuration,
                .metric = metric,
                .speedup = find_speedup(configuration, metric.name),
                .is_baseline = configuration.name == projection.baseline};
  if (configuration.throughput && configuration.throughput->time_metric == metric.name)
    row.throughput = &*configuration.throughput;
  if (projection.overheads && project::is_total_time(metric)) row.overhead = projection.overheads->seconds;
  if (metric.kind == project::MetricKind::total) row.cold_start = project::find_cold_start(configuration, metric.name);
  return row;
}

/// The unit of times in a column is that of the least total, so that each has digits.
std::optional<double> least_total(const std::vector<MetricRow>& rows) {
  std::optional<double> least;
  for (const MetricRow& row : rows)
    if (project::is_total_time(row.metric) && row.metric.value > 0)
      least = std::min(least.value_or(row.metric.value), row.metric.value);
  return least;
}

std::vector<MetricRow> rows_of(const project::Projection& projection) {
  std::vector<MetricRow> rows;
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::MetricProjection& metric : c.metrics) rows.push_back(row_of(projection, c, metric));
  const std::optional<double> least = least_total(rows);
  for (MetricRow& row : rows) row.least_total = least;
  return rows;
}

ShownParts parts_of(const project::Projection& projection, const std::vector<MetricRow>& rows, bool with_throughput) {
  ShownParts shown{.several_configurations = projection.configurations.size() > 1, .throughput = with_throughput};
  shown.cpu_time = std::ranges::all_of(rows, [](const MetricRow& row) { return row.metric.name == "cpu_s"; });
  for (const MetricRow& row : rows) {
    shown.several_metrics = shown.several_metrics || row.metric.name != rows.front().metric.name;
    shown.several_epochs = shown.several_epochs || (row.metric.per_epoch && *row.metric.per_epoch != row.metric.value);
    shown.all_measured = shown.all_measured && row.metric.measured_weight == 1;
  }
  return shown;
}

std::string text_of(const Column& column, const MetricRow& row, double figure) {
  switch (column.form) {
    case Form::amount:
      if (column.name == "per_epoch") return Amounts(of_an_epoch(row.metric)).text(figure);
      return Amounts(row.metric, row.least_total).text(figure);
    case Form::duration: return duration_text(figure);
    case Form::count: return grouped(static_cast<std::uint64_t>(figure));
    case Form::factor: return with_decimals(figure, decimals_of(figure, column.interval(row), column.digits)) + "x";
    case Form::percent: return percent_text(figure, column.digits);
    case Form::number: break;
  }
  return number_text(figure, column.digits);
}

/// A figure for programs; a count is a whole number.
Cell cell_of(const Column& column, const std::optional<double>& figure) {
  if (figure && column.form == Form::count) return static_cast<std::uint64_t>(*figure);
  return figure;
}

/// "LOW to HIGH", both rounded to 12 digits like exported figures, because later digits differ by rounding. Empty
/// without an interval, and for the baseline's own speedup, which is 1x.
std::string range_text(const Column& column, const MetricRow& row) {
  const project::IntervalOrReason interval = column.interval(row);
  if (!interval || (column.form == Form::factor && row.is_baseline)) return "";
  const double low = text::round12(interval->low), high = text::round12(interval->high);
  if (column.form == Form::amount) return Amounts(row.metric, row.least_total).range({low, high});
  return text_of(column, row, low) + " to " + text_of(column, row, high);
}

std::vector<std::string> header(const ShownParts& shown, double confidence) {
  std::vector<std::string> cells{"build", "metric"};
  const std::string run =
      (shown.several_epochs ? "whole run" : "epoch") + std::string(shown.cpu_time ? ", CPU time" : "");
  for (const Column* const column : columns_for_people()) {
    cells.push_back(fmt::format(fmt::runtime(column->heading), fmt::arg("run", run)));
    if (column->interval != nullptr) cells.push_back(full_precision(100 * confidence) + " % interval");
  }
  return cells;
}

/// The cells in the order of header(); empty if not shown or not known.
std::vector<std::string> cells_of(const MetricRow& row, const ShownParts& shown) {
  std::vector<std::string> cells{row.configuration.name, shown.several_metrics ? row.metric.name : ""};
  for (const Column* const column : columns_for_people()) {
    const std::optional<double> figure = column->figure(row);
    const bool is_shown = figure && (column->is_shown == nullptr || column->is_shown(shown));
    cells.push_back(is_shown ? text_of(*column, row, *figure) : "");
    if (column->interval != nullptr) cells.push_back(range_text(*column, row));
  }
  return cells;
}

/// The row of the total with the cold start, which has no interval. Requires `row.cold_start`.
std::vector<std::string> row_with_cold_start(const MetricRow& row, const ShownParts& shown, std::size_t columns) {
  std::vector<std::string> cells(columns);
  cells[0] = row.configuration.name + ", with cold start";
  if (shown.several_metrics) cells[1] = row.metric.name;
  cells[2] = "about " + rough_duration(row.metric.value + row.cold_start->about());
  return cells;
}

}  // namespace

TextTable projection_table(const project::Projection& projection, bool with_throughput) {
  const std::vector<MetricRow> rows = rows_of(projection);
  const ShownParts shown = parts_of(projection, rows, with_throughput);
  TextTable table{{header(shown, projection.confidence)}, shown.several_metrics ? 2U : 1U};
  const std::size_t columns = table.rows.front().size();
  for (const MetricRow& row : rows) {
    table.rows.push_back(cells_of(row, shown));
    if (row.cold_start != nullptr && project::is_worth_adding(*row.cold_start, row.metric))
      table.rows.push_back(row_with_cold_start(row, shown, columns));
  }
  return without_empty_columns(std::move(table));
}

TextTable truth_table(std::span<const report::MeasuredTotal> totals) {
  TextTable table{{{"build", "metric", "projected", "measured", "error", "in the interval"}}, 2};
  double least = 0;
  for (const report::MeasuredTotal& total : totals)
    if (trace::is_time_metric(total.metric) && (least == 0 || total.measured < least)) least = total.measured;
  for (const report::MeasuredTotal& total : totals) {
    const bool is_time = trace::is_time_metric(total.metric);
    const auto text = [&](double figure) { return is_time ? Amounts(least).text(figure) : number_text(figure); };
    table.rows.push_back({total.configuration, total.metric, text(total.projected), text(total.measured),
                          signed_percent(total.difference),
                          !total.inside   ? ""
                          : *total.inside ? "yes"
                                          : "no"});
  }
  return table;
}

DataTable projection_rows(const project::Projection& projection) {
  DataTable table{{"configuration", "metric", "kind"}};
  for (const Column& column : projection_columns())
    if (column.is_in_csv)
      for (const std::string_view name : {column.name, column.low, column.high})
        if (!name.empty()) table.columns.emplace_back(name);
  for (const MetricRow& row : rows_of(projection)) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells = {row.configuration.name, row.metric.name, project::name_of(row.metric.kind)};
    for (const Column& column : projection_columns()) {
      if (!column.is_in_csv) continue;
      cells.push_back(cell_of(column, column.figure(row)));
      if (column.interval == nullptr) continue;
      cells.push_back(low_of(column.interval(row)));
      cells.push_back(high_of(column.interval(row)));
    }
  }
  return table;
}

}  // namespace seqpoint::io::views
