/// \file
/// A report as an HTML page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/report/report.hpp"
#include "io/artifacts/files.hpp"
#include "io/views/ci.hpp"

namespace seqpoint::io::views {

/// The texts of a page that its figures do not contain. Each may be empty.
struct PageTexts {
  std::string origin = {};                ///< when and on what it was measured, in a few words
  std::vector<Annotation> warnings = {};  ///< all that the terminal shows
  std::string next = {};                  ///< what to do next
  std::vector<std::string> contradictions =
      {};  ///< what a job did or is, where that differs from what the result assumes
  std::vector<std::pair<std::string, std::string>> facts =
      {};  ///< names and values, such as the command and the machine
};

/// One HTML file that loads nothing. Its finding and its tables need no script; its script (share/page) draws pictures
/// of the JSON in the element `seqpoint-data`, which has the tables with all digits. Names are always shown as text.
/// Same report, same bytes.
std::string report_html(const report::Report&, const PageTexts&, const artifacts::Provenance&);

}  // namespace seqpoint::io::views
