/// \file
/// What the tables have in common: cells of intervals and of throughput, columns that are left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// 12 significant digits. Empty where the value is not finite, since programs do not read infinities and NaN alike.
std::string full_precision(double value);

inline Cell low_of(const std::optional<project::Interval>& interval) { return interval ? interval->low : Cell(); }
inline Cell high_of(const std::optional<project::Interval>& interval) { return interval ? interval->high : Cell(); }

/// The speedup of a metric; null where it has none that is finite.
const project::Speedup* find_speedup(const project::ConfigurationProjection&, const std::string& metric);
/// A value of the metric with its unit: "12.3 min" of a total of seconds, else the number alone.
std::string amount_text(const project::MetricProjection&, double value);

/// Samples, tokens and padded tokens per second; empty where `throughput` is null.
void add_throughput(std::vector<Cell>& row, const project::Throughput* throughput);

/// Without columns in which no row has anything; of those, `may_go` says which by their names (null: all).
TextTable without_empty_columns(TextTable table);

}  // namespace seqpoint::io::views
