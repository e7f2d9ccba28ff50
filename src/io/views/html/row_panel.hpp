/// \file
/// A panel of rows on a common axis, each with values: configurations, methods.
#pragma once

#include <optional>

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

/// Rows of one axis, from `left` to `right` of the picture.
struct RowPanel {
  std::string title;
  std::vector<Row> rows;
  std::optional<double> reference;  ///< a line to compare with
  bool from_zero = true;            ///< the axis begins there, with a bar to each value
  bool names = true;                ///< names are drawn; false where the panel beside it has them
  bool logarithmic = false;
};

constexpr double kRowHeight = 30;
double height_of(const RowPanel& panel);
void draw_rows(Svg& svg, const RowPanel& panel, double left, double right, double top);

}  // namespace seqpoint::io::views::html
