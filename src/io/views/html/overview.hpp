/// \file
/// The top of the page, between its finding and its figures.
#pragma once

#include <string>

#include "core/report/report.hpp"
#include "io/views/report_page.hpp"

namespace seqpoint::io::views::html {

/// The command, and where the figures come from; empty if there are no such texts.
std::string origin_html(const PageTexts&);
/// The checks of several limits as a table: failed ones first, then undecided ones, then passed ones. Empty for one,
/// which is the headline.
std::string gates_html(const report::Report&);
/// One card for each of the first 12 of several configurations: its change, its time, its throughput. Else empty.
std::string cards_html(const report::Report&);
/// Figures of the run and of the points; of a single configuration also what its card would have.
std::string facts_html(const report::Report&);
/// One line for all warnings of a kind, with the files or configurations that it concerns, and configurations that were
/// measured too little. Empty if there are none.
std::string warnings_html(const report::Report&, const PageTexts&);
/// What to do next, with its commands in a block; empty if there is nothing.
std::string next_html(const PageTexts&);

}  // namespace seqpoint::io::views::html
