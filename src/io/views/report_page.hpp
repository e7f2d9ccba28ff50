/// \file
/// A report as a page to look at.
#pragma once

#include <string>

#include "core/report/report.hpp"
#include "io/files.hpp"

namespace seqpoint::io::views {

/// One HTML file that loads nothing: charts are inline SVG, every chart's figures stand below it as a table and, all
/// together, as JSON in the element `seqpoint-data`. Names are text, whatever they hold. Same report, same bytes.
std::string report_html(const report::Report&, const artifacts::Provenance&);

}  // namespace seqpoint::io::views
