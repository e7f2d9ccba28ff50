/// \file
/// A figure of the page: its text and its tables, from which share/page/page.js draws a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/report/report.hpp"
#include "io/views/cells.hpp"

namespace seqpoint::io::views::html {

struct Figure {
  std::string id;            ///< unique; its tables' ids begin with it, or are known to the chart
  std::string chart;         ///< the function of page.js that draws it
  std::string title, words;  ///< text; `words` may be empty
  std::vector<DataTable> tables;
  std::string metric = {};  ///< that it is of; empty: of none
};

/// All figures that the report has data for, in the order of the page.
std::vector<Figure> figures_of(const report::Report&);

// Each is empty if the report lacks its data.

std::vector<Figure> costs_figures(const report::Report&);  ///< a metric by length; of one shape by order
std::vector<Figure> differences_figures(const report::Report&);
std::vector<Figure> totals_figures(const report::Report&);
std::vector<Figure> breakdown_figures(const report::Report&);
std::vector<Figure> variance_figures(const report::Report&);
std::vector<Figure> lengths_figures(const report::Report&);
std::vector<Figure> numbers_of_points_figures(const report::Report&);
std::vector<Figure> methods_figures(const report::Report&);

/// The figure as HTML: title, text, a place for the picture, and the tables, rounded, in a collapsed section.
std::string figure_html(const Figure&);
/// {"id", "chart", "metric", "is_time"}: what page.js draws.
nlohmann::ordered_json figure_json(const Figure&);
/// {"id", "caption", "columns", "rows"}; numbers with exactly the digits of output files.
nlohmann::ordered_json table_json(const DataTable&);

/// "sequence length", "source length", "source + target length".
std::string axis_name(report::LengthAxis axis);

}  // namespace seqpoint::io::views::html
