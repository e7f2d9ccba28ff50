/// \file
/// A chart, its text and its data. Charts without data are left out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/report/report.hpp"
#include "io/views/cells.hpp"

namespace seqpoint::io::views::html {

struct Figure {
  std::string id, title, words;
  std::string picture;  ///< inline SVG; empty: the tables are shown instead
  std::vector<DataTable> tables;
  bool folded = false;  ///< collapsed with its picture: of a metric that is not the first
};

/// All figures that the report has data for, in the order of the page.
std::vector<Figure> figures_of(const report::Report&);

/// The figure as HTML: title, text, picture, and the tables, rounded, in a collapsed section. Without a picture the
/// tables are shown.
std::string figure_html(const Figure&);
/// {"id", "caption", "columns", "rows"}; numbers with exactly the digits of output files.
nlohmann::ordered_json table_json(const DataTable&);

/// "sequence length", "source length", "source + target length".
std::string axis_name(report::LengthAxis axis);
/// "213 to 217"; "213" if both ends are equal.
std::string range_text(std::uint64_t first, std::uint64_t last);
/// A confidence: "95 %", "99.5 %".
std::string confidence_text(double share);
/// A weight, or another number of iterations: four significant digits.
std::string weight_text(const select::Weight& weight);

}  // namespace seqpoint::io::views::html
