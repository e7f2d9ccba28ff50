/// \file
/// The plotting area of a chart, and its axes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/views/html/figure.hpp"

namespace seqpoint::io::views::html {

/// Pixels around the plane.
struct Margins {
  double top = 28, right = 16, bottom = 40, left = 56;
};

/// Where the plane of a chart lies.
struct Area {
  Area(double width, double height, const Margins& margins)
      : left(margins.left), right(width - margins.right), top(margins.top), bottom(height - margins.bottom) {}
  double left, right, top, bottom;
};

/// Lines across at the ticks of `y`, their numbers, and the name of the axis above them, if it has one.
void draw_y_axis(Svg& svg, const Area& area, const Scale& y, const std::string& name, int most = 5,
                 double least_step = 0);
/// The base line, whole numbers below it (all of these axes count something), and the name of the axis at its right
/// end.
void draw_x_axis(Svg& svg, const Area& area, const Scale& x, const std::string& name, int most);
/// The number of ticks that an x axis has room for.
int x_ticks(double width);

/// A rectangle of a chart, in pixels.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
};
bool overlap(const Box&, const Box&);
/// The square around a round mark.
Box box_around(double x, double y, double radius);

/// Where a text may stand: its anchor, on its base line.
struct Place {
  double x = 0, y = 0;
  Anchor anchor = Anchor::start;
};
/// What a label takes there, by and large.
Box box_of(const Place&, std::string_view text);
/// Places beside a round mark, and then around it, nearest first.
std::vector<Place> places_around(double x, double y, double radius);
/// The first place where the text lies inside of a chart and touches nothing of what is `taken`; nothing where there is
/// none.
std::optional<Place> free_place(std::span<const Place> places, std::string_view text, std::span<const Box> taken,
                                const Box& within);

/// Labels at heights of their own, moved apart so that none covers another: in the order given, top to bottom.
std::vector<double> spread_apart(std::vector<double> heights, double gap, double top, double bottom);

}  // namespace seqpoint::io::views::html
