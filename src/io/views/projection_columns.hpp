/// \file
/// The columns of a projection. Each is described once: tables, CSV, pages and the plain keys of the JSON follow.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/projection.hpp"

namespace seqpoint::io::views {

/// A metric of a configuration, with related results.
struct MetricRow {
  const project::ConfigurationProjection& configuration;
  const project::MetricProjection& metric;
  const project::Throughput* throughput = nullptr;  ///< null unless the metric is its time metric
  const project::Speedup* speedup = nullptr;        ///< null if there is none
  bool is_baseline = false;                         ///< whether the configuration is the baseline
  std::optional<double> overhead = {};              ///< seconds included in the total
  const project::ColdStart* cold_start = nullptr;   ///< null unless the metric is a total with a cold start
  std::optional<double> least_total = {};           ///< the least total of seconds in the table
};

/// What decides which columns people see.
struct ShownParts {
  bool several_configurations, throughput, several_metrics = false, several_epochs = false, all_measured = true,
                                           cpu_time = false;
};

/// The object of a projection's JSON that has a column as a key.
enum class JsonObject {
  none,           ///< it is written for itself, or not at all
  configuration,  ///< configurations[]; the figure must not depend on the metric
  metric,         ///< configurations[].metrics.NAME
  throughput,     ///< configurations[].throughput
};

/// The form of a figure in tables. A count is a whole number in CSV and JSON, too.
enum class Form { amount, duration, number, count, factor, percent };

/// A column of figures, after those of the names.
struct Column {
  std::string_view name,                              ///< in CSV, on pages and in JSON
      heading = {};                                   ///< for people; empty: for programs only
  std::optional<double> (*figure)(const MetricRow&);  ///< nothing: an empty cell
  Form form = Form::number;                           ///< for people
  int digits = 4;                                     ///< for people, of numbers, factors and percentages
  bool (*is_shown)(const ShownParts&) = nullptr;      ///< to people; null: always
  std::string_view low = {}, high = {};               ///< names of the ends of its interval; empty: it has none
  project::IntervalOrReason (*interval)(const MetricRow&) = nullptr;
  JsonObject json = JsonObject::none;
  bool is_required = false;  ///< in JSON null where it has no figure, else left out
  bool is_in_csv = true;     ///< and on pages
};

/// Every column, in the order of CSV and JSON.
std::span<const Column> projection_columns();
/// The columns that people see, in their order.
std::vector<const Column*> columns_for_people();

}  // namespace seqpoint::io::views
