/// \file
/// Bounds of lengths as people read them.
#pragma once

#include "core/forecast/forecast.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// Ways to bound lengths with what each costs, and below it the best as frameworks have them.
TextTable bounds_table(const forecast::Forecast&);
/// Every figure in full.
void append_bounds_rows(DataTable& figures, const forecast::Forecast&);

}  // namespace seqpoint::io::views
