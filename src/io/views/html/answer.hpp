/// \file
/// The top of the page: what it comes to, before the evidence.
#pragma once

#include <string>

#include "seqpoint/report/report.hpp"

namespace seqpoint::html {

/// One or two sentences.
std::string lede_of(const Report&);
/// A card a configuration: its time, throughput and speedup. Empty where nothing is projected.
std::string cards_html(const Report&);
/// Figures of the run and of the points.
std::string facts_html(const Report&);
/// Limits that the user set, and whether they hold; empty where there are none.
std::string gates_html(const Report&);
/// What is to be known before the figures are believed; empty where there is nothing.
std::string notes_html(const Report&);

}  // namespace seqpoint::html
