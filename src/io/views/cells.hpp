/// \file
/// Shared by the tables: cells of intervals and of throughput, and columns that are left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// 12 significant digits. Empty if the value is not finite, because programs parse infinities and NaN differently.
std::string full_precision(double value);

inline Cell low_of(const std::optional<project::Interval>& interval) { return interval ? interval->low : Cell(); }
inline Cell high_of(const std::optional<project::Interval>& interval) { return interval ? interval->high : Cell(); }

/// The speedup of a metric; null if it has none that is finite.
const project::Speedup* find_speedup(const project::ConfigurationProjection&, const std::string& metric);
/// A value of the metric with its unit: "12.3 min" for a total of seconds, else the number alone.
std::string amount_text(const project::MetricProjection&, double value);

/// Samples, tokens and padded tokens per second; empty if `throughput` is null.
void add_throughput(std::vector<Cell>& row, const project::Throughput* throughput);

/// Removes columns that are empty in every row, limited to names that `may_go` accepts (null: all).
TextTable without_empty_columns(TextTable table);

}  // namespace seqpoint::io::views
