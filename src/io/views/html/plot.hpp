/// \file
/// The plotting area of a chart, and its axes.
#pragma once

#include <string>

#include "io/views/html/figure.hpp"

namespace seqpoint::io::views::html {

/// Pixels around the plane.
struct Margins {
  double top = 28, right = 16, bottom = 40, left = 56;
};

/// Where the plane of a frame lies.
struct Area {
  Area(const Frame& frame, double height, const Margins& margins)
      : left(margins.left), right(frame.width - margins.right), top(margins.top), bottom(height - margins.bottom) {}
  double left, right, top, bottom;
};

/// Lines across at the ticks of `y`, their numbers, and the name of the axis above them.
void draw_y_axis(Svg& svg, const Area& area, const Scale& y, const std::string& name, int most = 5,
                 double least_step = 0);
/// The base line, whole numbers below it (all of these axes count something), and the name of the axis at its right
/// end.
void draw_x_axis(Svg& svg, const Area& area, const Scale& x, const std::string& name, int most);
/// The number of ticks that an x axis has room for.
int x_ticks(const Frame& frame);

/// Labels at heights of their own, moved apart so that none covers another: in the order given, top to bottom.
std::vector<double> spread_apart(std::vector<double> heights, double gap, double top, double bottom);

}  // namespace seqpoint::io::views::html
