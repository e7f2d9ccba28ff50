/// \file
/// Shared by the tables: cells of intervals, rows by the names of columns, and columns that are left out.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// The number as text, rounded to 12 significant digits, without trailing zeros. Empty if the value is not finite,
/// because programs parse infinities and NaN differently.
std::string full_precision(double value);

inline Cell low_of(const std::optional<project::Interval>& interval) { return interval ? interval->low : Cell(); }
inline Cell high_of(const std::optional<project::Interval>& interval) { return interval ? interval->high : Cell(); }

/// The first speedup of the metric that is finite; null if there is none.
const project::Speedup* find_speedup(const project::ConfigurationProjection&, const std::string& metric);
/// The change of a total over the baseline's, from their speedup: 0.25 is 25 % more.
double change_of(double speedup);
/// The same of an interval; nothing if it has none above zero.
std::optional<project::Interval> change_of(const project::IntervalOrReason& speedup);

/// Appends a row with these cells of the columns that have these names; the others are empty.
void append_row(DataTable& table, std::initializer_list<std::pair<std::string_view, Cell>> cells);

/// Removes the columns whose cells are empty in every row of `rows` below the header. The first row is the header; the
/// other tables and RowSource `more` are not looked at.
TextTable without_empty_columns(TextTable table);

}  // namespace seqpoint::io::views
