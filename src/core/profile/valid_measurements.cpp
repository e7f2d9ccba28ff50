#include "core/profile/valid_measurements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "core/trace/measured_value.hpp"

namespace seqpoint::profile {
namespace {

[[noreturn]] void refuse(const std::string& member, const std::string& problem) {
  throw std::invalid_argument("Measurements: " + member + " " + problem);
}

void require_size(const std::string& member, std::size_t size, std::size_t expected, const char* of) {
  if (size != expected) refuse(member, fmt::format("has {}, and there are {} {}", size, expected, of));
}

/// What is said of every value, in the shape of the values; or nothing at all.
template <class T>
void require_shape(const std::string& name, const std::vector<std::vector<std::vector<T>>>& of_values,
                   const Measurements& measured) {
  if (of_values.empty()) return;
  require_size(name, of_values.size(), measured.metrics.size(), "metrics");
  for (std::size_t m = 0; m < of_values.size(); ++m) {
    require_size(fmt::format("{}[{}]", name, m), of_values[m].size(), measured.values[m].size(), "points");
    for (std::size_t p = 0; p < of_values[m].size(); ++p)
      require_size(fmt::format("{}[{}][{}]", name, m, p), of_values[m][p].size(), measured.values[m][p].size(),
                   "values");
  }
}

void require_measurable(const Measurements& measured) {
  for (std::size_t m = 0; m < measured.values.size(); ++m)
    for (std::size_t p = 0; p < measured.values[m].size(); ++p)
      for (const double value : measured.values[m][p])
        if (!trace::is_measurable(value))
          refuse(fmt::format("values[{}][{}]", m, p),
                 fmt::format("has {} of '{}', which{}", value, measured.metrics[m], trace::kNotMeasurable));
}

}  // namespace

void require_valid(const Measurements& measured, std::size_t points) {
  if (std::set<std::string>(measured.metrics.begin(), measured.metrics.end()).size() != measured.metrics.size())
    refuse("metrics", "has a name twice");
  require_size("values", measured.values.size(), measured.metrics.size(), "metrics");
  for (std::size_t m = 0; m < measured.values.size(); ++m)
    require_size(fmt::format("values[{}]", m), measured.values[m].size(), points, "points");
  require_measurable(measured);
  if (!measured.roles.empty()) require_size("roles", measured.roles.size(), measured.metrics.size(), "metrics");
  require_shape("iterations", measured.iterations, measured);
  require_shape("sessions", measured.sessions, measured);
  if (measured.sessions.empty() && measured.session_names.size() > 1)
    refuse("sessions", "is empty, and there are several session_names");
  for (const auto& of_metric : measured.sessions)
    for (const auto& of_point : of_metric)
      for (const std::size_t session : of_point)
        if (session >= measured.session_names.size()) refuse("sessions", "has one that session_names has not");
  for (const FirstExecution& first : measured.first_executions)
    if (first.metric >= measured.metrics.size() || first.point >= points ||
        first.session >= std::max<std::size_t>(measured.session_names.size(), 1) || !trace::is_measurable(first.value))
      refuse("first_executions", "has one of a metric, point or session that is not there, or that cannot be measured");
  if (!measured.source_rows.empty()) require_size("source_rows", measured.source_rows.size(), points, "points");
}

void require_rows_of(const Measurements& measured, std::span<const ProfileTable> tables, std::size_t points) {
  require_valid(measured, points);
  require_size("source_rows", measured.source_rows.size(), points, "points");
  for (const ProfileTable& table : tables) require_valid(table);
  for (const auto& of_point : measured.source_rows)
    for (const auto& [table, row] : of_point)
      if (table >= tables.size() || row >= tables[table].rows.size())
        refuse("source_rows", fmt::format("has row {} of table {}, which is not there", row, table));
}

void require_valid(const ProfileTable& table) {
  const auto require = [&](const char* member, std::size_t size) {
    if (size != table.metrics.size())
      throw std::invalid_argument(fmt::format("ProfileTable: {} of {} has {}, and there are {} metrics", member,
                                              table.source, size, table.metrics.size()));
  };
  if (!table.roles.empty()) require("roles", table.roles.size());
  for (const ProfileRow& row : table.rows) require("values of a row", row.values.size());
}

}  // namespace seqpoint::profile
