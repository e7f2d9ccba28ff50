/// \file
/// Texts of a forecast for people and programs.
#pragma once

#include <string>

#include "core/forecast/forecast.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::io::views {

/// One page: one line per figure, then the largest batches.
std::string forecast_text(const forecast::Forecast&);
/// The same as tables with headers.
TextTable forecast_table(const forecast::Forecast&);
/// Every figure with all digits, one per row.
DataTable forecast_rows(const forecast::Forecast&);

}  // namespace seqpoint::io::views
