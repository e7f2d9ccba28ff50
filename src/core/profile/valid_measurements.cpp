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

/// The number of processes, at least 1: a single process may have no name.
std::size_t processes_of(const Measurements& measured) {
  return std::max<std::size_t>(measured.process_names.size(), 1);
}

/// Throws std::invalid_argument for a value that cannot be a measurement, and for a process without a name.
void require_valid_readings(const Measurements& measured) {
  for (std::size_t m = 0; m < measured.readings.size(); ++m)
    for (std::size_t p = 0; p < measured.readings[m].size(); ++p)
      for (const Reading& reading : measured.readings[m][p]) {
        const auto refuse_it = [&](const std::string& problem) {
          refuse(fmt::format("readings[{}][{}]", m, p), problem);
        };
        if (!trace::is_measurable(reading.value))
          refuse_it(fmt::format("has {} of '{}', which{}", reading.value, measured.metrics[m], trace::kNotMeasurable));
        if (reading.process >= processes_of(measured)) refuse_it("has a process that process_names has not");
      }
}

}  // namespace

void require_valid(const Measurements& measured, std::size_t points) {
  if (std::set<std::string>(measured.metrics.begin(), measured.metrics.end()).size() != measured.metrics.size())
    refuse("metrics", "has a name twice");
  if (!measured.run_totals.empty())
    require_size("run_totals", measured.run_totals.size(), measured.metrics.size(), "metrics");
  require_size("readings", measured.readings.size(), measured.metrics.size(), "metrics");
  for (std::size_t m = 0; m < measured.readings.size(); ++m)
    require_size(fmt::format("readings[{}]", m), measured.readings[m].size(), points, "points");
  require_valid_readings(measured);
  if (!measured.roles.empty()) require_size("roles", measured.roles.size(), measured.metrics.size(), "metrics");
  for (const FirstExecution& first : measured.first_executions)
    if (first.metric >= measured.metrics.size() || first.point >= points || first.process >= processes_of(measured) ||
        !trace::is_measurable(first.value))
      refuse("first_executions", "has one of a metric, point or process that is not there, or that cannot be measured");
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
  if (table.rows.empty()) return;
  require("values", table.values.size());
  std::size_t places = SIZE_MAX;
  for (const std::vector<double>& column : table.values) places = std::min(places, column.size());
  if (std::ranges::any_of(table.rows, [&](const ProfileRow& row) {
        return row.place >= places || row.subject >= table.subjects.size() || row.origin >= table.origins.size();
      }))
    throw std::invalid_argument("ProfileTable: values of a row of " + table.source +
                                ", its subject or its origin are not there");
}

}  // namespace seqpoint::profile
