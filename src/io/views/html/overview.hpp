/// \file
/// The top of the page: the results, before the charts.
#pragma once

#include <string>

#include "core/report/report.hpp"

namespace seqpoint::io::views::html {

/// The result in one or two sentences: what was evaluated, or the fastest configuration and the number of points.
std::string lead_text(const report::Report&);
/// One card for each of the first 12 configurations: its time, throughput and speedup. Empty if nothing is projected.
std::string cards_html(const report::Report&);
/// Figures of the run and of the points.
std::string facts_html(const report::Report&);
/// Whether all checks of the limits that the user set pass; true without limits.
bool limits_hold(const report::Report&);
/// The checks of limits that the user set: failed ones first, then inconclusive ones, then passed ones, at most 24.
/// Empty if there are none.
std::string gates_html(const report::Report&);
/// Notes about the results; empty if there are none.
std::string notes_html(const report::Report&);

}  // namespace seqpoint::io::views::html
