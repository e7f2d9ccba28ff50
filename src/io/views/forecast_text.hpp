/// \file
/// A forecast as people and programs read it.
#pragma once

#include <string>

#include "core/forecast/forecast.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// One page: a line a figure, then the largest batches.
std::string forecast_text(const forecast::Forecast&);
/// The same as tables with headers.
TextTable forecast_table(const forecast::Forecast&);
/// Every figure in full, one a row.
DataTable forecast_rows(const forecast::Forecast&);

}  // namespace seqpoint::io::views
