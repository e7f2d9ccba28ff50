/// \file
/// The top of the page: the results, before the charts.
#pragma once

#include <string>

#include "core/report/report.hpp"

namespace seqpoint::io::views::html {

/// One or two sentences.
std::string lead_text(const report::Report&);
/// One card per configuration: its time, throughput and speedup. Empty if nothing is projected.
std::string cards_html(const report::Report&);
/// Figures of the run and of the points.
std::string facts_html(const report::Report&);
/// Whether the results meet all limits that the user set.
bool limits_hold(const report::Report&);
/// Limits that the user set, failed ones first; empty if there are none.
std::string gates_html(const report::Report&);
/// Notes about the results; empty if there are none.
std::string notes_html(const report::Report&);

}  // namespace seqpoint::io::views::html
