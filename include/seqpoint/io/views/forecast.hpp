/// \file
/// A forecast as people and programs read it.
#pragma once

#include <string>

#include "seqpoint/forecast/forecast.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views {

/// One page: a line a figure, then the largest batches.
std::string forecast_text(const forecast::Forecast&);
/// The same as tables with headers.
TextTable forecast_table(const forecast::Forecast&);
/// Every figure in full, one a row.
TextTable forecast_rows(const forecast::Forecast&);

}  // namespace seqpoint::io::views
