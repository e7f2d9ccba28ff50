/// \file
/// A chart, its text and its data. Charts without data are left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/views/html/data_table.hpp"
#include "io/views/html/scale.hpp"
#include "io/views/html/svg.hpp"
#include "seqpoint/report/report.hpp"

namespace seqpoint::io::views::html {

/// Pixels that a chart is wide. It is drawn once; the page scales it, and scrolls it where its letters would be too
/// small.
constexpr double kFullWidth = 976, kHalfWidth = 464;

struct Figure {
  std::string id, title, words;
  std::string picture;  ///< inline SVG
  std::vector<DataTable> tables;
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
