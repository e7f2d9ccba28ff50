/// \file
/// A forecast as people and programs read it.
#pragma once

#include <string>

#include "io/views/tables.hpp"
#include "seqpoint/forecast.hpp"

namespace seqpoint::io::views {

/// One page: a line a figure, then the largest batches. `bounds_by_time`: ways to bound lengths, ranked;
/// `dealt_by_time`: Forecast::dealt, ranked; null: not known.
std::string forecast_text(const forecast::Forecast&, const project::Ranking* bounds_by_time = nullptr,
                          const project::Ranking* dealt_by_time = nullptr);
/// The same as tables with headers.
TextTable forecast_table(const forecast::Forecast&, const project::Ranking* bounds_by_time = nullptr,
                         const project::Ranking* dealt_by_time = nullptr);
/// Every figure in full, one a row.
DataTable forecast_rows(const forecast::Forecast&, const project::Ranking* bounds_by_time = nullptr,
                        const project::Ranking* dealt_by_time = nullptr);

}  // namespace seqpoint::io::views
