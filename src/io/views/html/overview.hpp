/// \file
/// The top of the page: the results, before the charts.
#pragma once

#include <string>
#include <vector>

#include "io/views/html/data_table.hpp"
#include "seqpoint/report/report.hpp"

namespace seqpoint::io::views::html {

/// What does not hold of the limits that the user set, for the very top; empty where all of them hold.
std::string alarm_html(const report::Report&);
/// One or two sentences.
std::string lead_text(const report::Report&);
/// A card a configuration: its time, throughput and speedup. Empty where nothing is projected.
std::string cards_html(const report::Report&);
/// Figures of the run and of the points.
std::string facts_html(const report::Report&);
/// Limits that the user set, and whether they hold; empty where there are none.
std::string gates_html(const report::Report&);
/// What the batches tell without any measurement; empty where no trace has the order of the run.
std::vector<DataTable> forecast_tables(const report::Report&);
std::string forecast_html(const report::Report&);
/// Notes about the results; empty where there are none.
std::string notes_html(const report::Report&);

}  // namespace seqpoint::io::views::html
