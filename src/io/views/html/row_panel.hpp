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

/// A small mark below the values of a row.
struct Dot {
  std::size_t series = 0;
  double value = 0;
  std::string tip;
  bool is_outlier = false;  ///< the axis need not cover it: it is then at its end
};

struct Row {
  std::string name, figure;  ///< texts on the left and on the right; the latter may be empty
  std::vector<RowValue> values;
  std::vector<Dot> dots = {};
};

/// Rows with a common axis.
struct RowPanel {
  std::string title;
  std::vector<Row> rows = {};
  std::optional<double> reference = {};  ///< a line to compare with; the axis then does not begin at zero
  bool logarithmic = false;
  bool from_zero = true;  ///< whether an axis that is neither logarithmic nor has a reference begins at zero
  double unit = 1;        ///< numbers on the axis are values divided by it
};

/// The height of a panel in pixels, with title and axis.
double height_of(const RowPanel& panel);
/// Draws the panel as wide as the picture, from `top` pixels down.
void draw_rows(Svg& svg, const RowPanel& panel, double top);
/// The SVG of a panel: the legend of the series, and the rows below it. `label`: text for screen readers.
std::string draw_panel(const RowPanel& panel, std::string_view label, const Legend& legend);

}  // namespace seqpoint::io::views::html
