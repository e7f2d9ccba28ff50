/// \file
/// Tables of bounds of lengths for people.
#pragma once

#include "core/forecast/forecast.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// Ways to choose bounds with the cost of each, and below it the best in the syntax of frameworks.
TextTable bounds_table(const forecast::Forecast&);
/// Adds two rows for each way to choose bounds: the padded tokens, and the number of bounds.
void append_bounds_rows(DataTable& figures, const forecast::Forecast&);

}  // namespace seqpoint::io::views
