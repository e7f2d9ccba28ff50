/// \file
/// A chart, its text and its data. Charts without data are left out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/views/html/data_table.hpp"
#include "io/views/html/scale.hpp"
#include "io/views/html/svg.hpp"
#include "seqpoint/report/report.hpp"

namespace seqpoint::io::views::html {

/// The page that a chart is drawn for: every chart is there twice, and the width of the window decides which is seen.
struct Frame {
  double width = 0;
  bool narrow = false;  ///< for a telephone
};

/// How a table is drawn in Vega-Lite: a mark, and columns by channel ("x", "y", "color", ...).
struct VegaView {
  std::string mark;
  std::vector<std::pair<std::string, std::string>> channels;
};

struct Figure {
  std::string id, title, words;
  std::function<std::string(const Frame&)> draw;
  std::vector<DataTable> tables;
  VegaView vega;      ///< of the first table
  bool half = false;  ///< takes half the width of a wide page
};

/// In the order of the page.
std::vector<Figure> figures_of(const report::Report&);

/// "sequence length", "source length", "source + target length".
std::string axis_name(report::LengthAxis axis);
/// "213" or "213 to 217".
std::string range_text(std::uint64_t first, std::uint64_t last);
/// "1 iteration", "28 539 iterations".
std::string count_text(std::uint64_t count, const std::string& noun);
/// A confidence: "95 %", "99.5 %".
std::string confidence_text(double share);
/// A weight, or another number of iterations: four significant digits.
std::string weight_text(const select::Weight& weight);

}  // namespace seqpoint::io::views::html
