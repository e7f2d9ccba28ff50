/// \file
/// A report as an HTML page.
#pragma once

#include <string>

#include "core/report/report.hpp"
#include "io/files.hpp"

namespace seqpoint::io::views {

/// One HTML file that loads nothing: charts are inline SVG, every chart's figures are below it as a table and, all
/// together, as JSON in the element `seqpoint-data`. Names are always shown as text. Same report, same bytes.
std::string report_html(const report::Report&, const artifacts::Provenance&);

}  // namespace seqpoint::io::views
