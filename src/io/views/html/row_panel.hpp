/// \file
/// A panel of rows on a common axis, each with values: configurations, methods.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/project/projection.hpp"
#include "io/views/html/plot.hpp"

namespace seqpoint::io::views::html {

/// One value of a row.
struct RowValue {
  std::size_t series = 0;
  double value = 0;
  std::optional<project::Interval> interval;
  std::string tip;
};

struct Row {
  std::string name, figure;  ///< what stands at its left, and at its right
  std::vector<RowValue> values;
};

/// Rows of one axis.
struct RowPanel {
  std::string title;
  std::vector<Row> rows = {};
  std::optional<double> reference = {};  ///< a line to compare with; the axis then need not begin at zero
  bool names = true;                     ///< names are drawn; false where the panel beside it has them
  bool logarithmic = false;
};

double height_of(const RowPanel& panel);
/// From `left` to `right` of the picture, down from `top`.
void draw_rows(Svg& svg, const RowPanel& panel, double left, double right, double top);
/// A picture of its own: the legend of the series, and the rows below it.
std::string draw_panel(const RowPanel& panel, std::string_view label, const Legend& legend);

}  // namespace seqpoint::io::views::html
