// A projection as tables, a row a metric of a configuration. A new column is a row of one of the two arrays.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "io/text/shortest_number.hpp"
#include "io/views/full_precision.hpp"
#include "seqpoint/io/views/tables.hpp"
#include "seqpoint/project/costs.hpp"

namespace seqpoint::io::views {
namespace {

/// A metric of a configuration, and what belongs to it.
struct MetricRow {
  const project::Projection& projection;
  const project::ConfigurationProjection& configuration;
  const project::MetricProjection& metric;
  const project::Throughput* throughput;     ///< null unless the metric is the time that it is of
  const project::Speedup* speedup;           ///< null where there is none
  const project::FirstSeenCost* first_seen;  ///< in a total of seconds; null where there is none
  bool is_seconds;                           ///< a total of seconds
};

/// Stands for "± (95 %)", with the projection's confidence.
constexpr std::string_view kSpread = "±";

struct Column {
  std::string_view name;
  std::string (*cell)(const MetricRow&);
  /// Whether the table has it; null: always.
  bool (*is_shown)(const project::Projection&) = nullptr;
};

/// The farther end of the interval from the value, in percent of it (in its own unit where it is zero). Of the figures
/// as they are exported: what differs in later digits only is the arithmetic's.
std::string interval_spread_text(double exact, const std::optional<project::Interval>& interval) {
  if (!interval) return "";
  const double value = text::round12(exact),
               half = std::max(text::round12(interval->high) - value, value - text::round12(interval->low));
  return value == 0 ? number_text(half, 2) : number_text(100 * (half / std::abs(value)), 2) + " %";
}

std::string value_text(const MetricRow& row, double value) {
  return row.is_seconds ? duration_text(value) : number_text(value);
}

bool has_intervals(const project::Projection& projection) {
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::MetricProjection& metric : c.metrics)
      if (metric.interval) return true;
  return false;
}

bool has_speedup_intervals(const project::Projection& projection) {
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::Speedup& speedup : c.speedups)
      if (speedup.interval && c.name != projection.baseline) return true;
  return false;
}

bool has_overheads(const project::Projection& projection) { return projection.overheads.has_value(); }

bool has_first_seen(const project::Projection& projection) {
  return std::ranges::any_of(projection.configurations, [](const auto& c) { return !c.first_seen.empty(); });
}

std::string speedup_spread_text(const MetricRow& row) {
  if (row.speedup == nullptr || row.configuration.name == row.projection.baseline) return "";
  return interval_spread_text(row.speedup->value, row.speedup->interval);
}

std::optional<project::CostFigure> cost_figure(const project::Projection& projection,
                                               const project::ConfigurationProjection& configuration,
                                               std::size_t which) {
  for (const project::CostFigure& figure : project::costs_of(projection, configuration))
    if (figure.name == project::kCostFigures[which]) return figure;
  return std::nullopt;
}

/// Of the row of the time that costs are of.
template <std::size_t Which>
std::optional<project::CostFigure> cost_figure(const MetricRow& row) {
  if (row.throughput == nullptr) return std::nullopt;
  return cost_figure(row.projection, row.configuration, Which);
}

/// A column for people; an MFU is a share.
template <std::size_t Which>
constexpr Column cost_column(std::string_view name) {
  return {name,
          [](const MetricRow& row) {
            const std::optional<project::CostFigure> figure = cost_figure<Which>(row);
            if (!figure) return std::string();
            return project::kCostFigures[Which] == "mfu" ? number_text(100 * figure->value, 3) + " %"
                                                         : number_text(figure->value);
          },
          [](const project::Projection& projection) {
            return std::ranges::any_of(projection.configurations,
                                       [&](const auto& c) { return cost_figure(projection, c, Which).has_value(); });
          }};
}

/// For people: rounded, with units; columns of which no cell would be filled are left out.
constexpr std::array kColumnsToRead{
    Column{"configuration", [](const MetricRow& row) { return row.configuration.name; }},
    Column{"metric", [](const MetricRow& row) { return row.metric.name; }},
    Column{"whole run", [](const MetricRow& row) { return value_text(row, row.metric.value); }},
    Column{kSpread, [](const MetricRow& row) { return interval_spread_text(row.metric.value, row.metric.interval); },
           has_intervals},
    Column{"of it overheads",
           [](const MetricRow& row) {
             return row.is_seconds ? duration_text(row.projection.overheads->seconds) : std::string();
           },
           has_overheads},
    Column{"of it first seen",
           [](const MetricRow& row) {
             return row.first_seen != nullptr ? duration_text(row.first_seen->seconds) : std::string();
           },
           has_first_seen},
    Column{"per epoch",
           [](const MetricRow& row) {
             return row.metric.per_epoch ? value_text(row, *row.metric.per_epoch) : std::string();
           }},
    cost_column<0>("GPU hours"),
    cost_column<1>("cost"),
    cost_column<2>("epochs' hours"),
    cost_column<3>("epochs' cost"),
    cost_column<4>("MFU"),
    Column{"samples/s",
           [](const MetricRow& row) {
             return row.throughput != nullptr ? number_text(row.throughput->samples_per_s) : std::string();
           }},
    Column{"tokens/s",
           [](const MetricRow& row) {
             const bool known = row.throughput != nullptr && row.throughput->tokens_per_s;
             return known ? number_text(*row.throughput->tokens_per_s) : std::string();
           }},
    Column{"speedup",
           [](const MetricRow& row) {
             return row.speedup != nullptr ? number_text(row.speedup->value, 3) + "x" : std::string();
           }},
    Column{kSpread, speedup_spread_text, has_speedup_intervals},
    Column{"coverage", [](const MetricRow& row) { return number_text(100 * row.metric.coverage, 4) + " %"; }},
};

std::string low_text(const std::optional<project::Interval>& interval) {
  return interval ? full_precision(interval->low) : "";
}
std::string high_text(const std::optional<project::Interval>& interval) {
  return interval ? full_precision(interval->high) : "";
}

std::string optional_text(const std::optional<double>& value) { return value ? full_precision(*value) : ""; }

template <auto Figure>
std::string throughput_text(const MetricRow& row) {
  return row.throughput != nullptr ? optional_text(row.throughput->*Figure) : std::string();
}

std::string kind_text(const MetricRow& row) { return std::string(project::name_of(row.metric.kind)); }

/// For programs: in full, in units of the metric.
constexpr std::array kColumnsToParse{
    Column{"configuration", [](const MetricRow& row) { return row.configuration.name; }},
    Column{"metric", [](const MetricRow& row) { return row.metric.name; }},
    Column{"kind", kind_text},
    Column{"value", [](const MetricRow& row) { return full_precision(row.metric.value); }},
    Column{"low", [](const MetricRow& row) { return low_text(row.metric.interval); }},
    Column{"high", [](const MetricRow& row) { return high_text(row.metric.interval); }},
    Column{"per_epoch", [](const MetricRow& row) { return optional_text(row.metric.per_epoch); }},
    Column{"samples_per_s", throughput_text<&project::Throughput::samples_per_s>},
    Column{"tokens_per_s", throughput_text<&project::Throughput::tokens_per_s>},
    Column{"padded_tokens_per_s", throughput_text<&project::Throughput::padded_tokens_per_s>},
    Column{"speedup",
           [](const MetricRow& row) {
             return row.speedup != nullptr ? full_precision(row.speedup->value) : std::string();
           }},
    Column{
        "speedup_low",
        [](const MetricRow& row) { return row.speedup != nullptr ? low_text(row.speedup->interval) : std::string(); }},
    Column{
        "speedup_high",
        [](const MetricRow& row) { return row.speedup != nullptr ? high_text(row.speedup->interval) : std::string(); }},
    Column{"coverage", [](const MetricRow& row) { return full_precision(row.metric.coverage); }},
    Column{"overhead_s",
           [](const MetricRow& row) {
             const bool included = row.is_seconds && row.projection.overheads;
             return included ? full_precision(row.projection.overheads->seconds) : std::string();
           }},
    Column{"first_seen_s",
           [](const MetricRow& row) {
             return row.first_seen != nullptr ? full_precision(row.first_seen->seconds) : std::string();
           }},
};

/// Figures of costs with their intervals, three columns each, where there are any.
void add_costs(TextTable& table, const project::Projection& projection) {
  if (!projection.gpu_terms) return;
  for (const std::string_view name : project::kCostFigures)
    for (const char* const suffix : {"", "_low", "_high"}) table.rows[0].push_back(std::string(name) + suffix);
  std::size_t r = 0;
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::MetricProjection& metric : c.metrics) {
      const bool is_timed = c.throughput && c.throughput->time_metric == metric.name;
      std::vector<std::string>& cells = table.rows[++r];
      for (std::size_t which = 0; which < project::kCostFigures.size(); ++which) {
        const auto figure = is_timed ? cost_figure(projection, c, which) : std::nullopt;
        cells.push_back(figure ? full_precision(figure->value) : "");
        cells.push_back(figure ? low_text(figure->interval) : "");
        cells.push_back(figure ? high_text(figure->interval) : "");
      }
    }
}

const project::Speedup* find_speedup(const project::ConfigurationProjection& configuration, const std::string& metric) {
  for (const project::Speedup& speedup : configuration.speedups)
    if (speedup.metric == metric) return &speedup;
  return nullptr;
}

const project::FirstSeenCost* find_first_seen(const project::ConfigurationProjection& configuration,
                                              const project::MetricProjection& metric) {
  for (const project::FirstSeenCost& cost : configuration.first_seen)
    if (cost.metric == metric.name && metric.kind == project::MetricKind::total) return &cost;
  return nullptr;
}

template <std::size_t N>
TextTable table_of(const project::Projection& projection, const std::array<Column, N>& columns,
                   std::size_t text_columns) {
  const auto is_shown = [&](const Column& column) { return column.is_shown == nullptr || column.is_shown(projection); };
  TextTable table{{{}}, text_columns};
  for (const Column& column : columns)
    if (is_shown(column))
      table.rows[0].push_back(column.name == kSpread
                                  ? fmt::format("± ({} %)", full_precision(100 * projection.confidence))
                                  : std::string(column.name));
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::MetricProjection& metric : c.metrics) {
      const bool is_timed = c.throughput && c.throughput->time_metric == metric.name;
      const MetricRow row{
          .projection = projection,
          .configuration = c,
          .metric = metric,
          .throughput = is_timed ? &*c.throughput : nullptr,
          .speedup = find_speedup(c, metric.name),
          .first_seen = find_first_seen(c, metric),
          .is_seconds = trace::is_time_metric(metric.name) && metric.kind == project::MetricKind::total,
      };
      std::vector<std::string>& cells = table.rows.emplace_back();
      for (const Column& column : columns)
        if (is_shown(column)) cells.push_back(column.cell(row));
    }
  return table;
}

}  // namespace

std::string full_precision(double value) { return std::isfinite(value) ? text::shortest(text::round12(value)) : ""; }

TextTable projection_table(const project::Projection& projection) { return table_of(projection, kColumnsToRead, 2); }

TextTable projection_rows(const project::Projection& projection) {
  TextTable table = table_of(projection, kColumnsToParse, 3);
  add_costs(table, projection);
  return table;
}

}  // namespace seqpoint::io::views
