/// \file
/// A plot: two axes, marks placed by their values, labels that find room, and a legend.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/views/html/scale.hpp"
#include "io/views/html/svg.hpp"

namespace seqpoint::io::views::html {

/// Width of a picture in pixels, at which it is drawn once. A window of 400 pixels shows it whole, with letters that
/// can still be read; a wide window has two of them side by side.
constexpr double kPictureWidth = 440;

struct Axis {
  std::string name;  ///< empty for an x axis: no numbers either, because another plot below has them
  double low = 0, high = 0;
  double least_step = 1;  ///< minimum distance of numbers; 1: whole numbers
  Scale::Kind kind = Scale::Kind::linear;
  double unit = 1;  ///< numbers are values divided by it
};

class Plot {
 public:
  static constexpr double kHead = 28, kFoot = 40;  ///< pixels above and below the axes

  /// Draws the axes; the plane reaches from `top` to `bottom` of the picture. `svg` outlives the plot.
  Plot(Svg& svg, double top, double bottom, const Axis& x, const Axis& y);

  const Scale& x() const { return x_; }
  const Scale& y() const { return y_; }

  /// Draws a bar between the x values `left` and `right`, from the base line up to the y value `value`. Bars wider than
  /// 4 pixels have gaps between them. `tip`: the tooltip.
  void bar(std::string_view css_class, double left, double right, double value, std::string_view tip);
  /// Draws a rectangle between x values and between y values, at least one pixel high. Its opacity grows with the
  /// square root of `strength` (0 to 1), from 0.15 to 1.
  void cell(std::string_view css_class, double left, double right, double low, double high, double strength,
            std::string_view tip);

  /// A round mark that can be focused with the keyboard.
  struct Disc {
    double x = 0, y = 0;  ///< values
    std::string label = {}, tip = {};
    std::string_view css_class = "disc";
    double radius = 4.5;  ///< pixels
    bool stem = false;    ///< with a line down to the base line
  };
  /// Adds a disc, which finish() draws.
  void add(Disc disc) { discs_.push_back(std::move(disc)); }
  /// Draws a line through values (x, y), which labels must not cover.
  void line(std::string_view css_class, const std::vector<std::pair<double, double>>& values);
  /// Draws the discs. A label without room is left out, because the tooltip contains it.
  void finish();

 private:
  /// A rectangle of the picture, in pixels.
  struct Box {
    double left = 0, top = 0, right = 0, bottom = 0;
  };
  struct Place {
    double x = 0, y = 0;
    Anchor anchor = Anchor::start;
  };
  static Box box_around(double x, double y, double radius) { return {x - radius, y - radius, x + radius, y + radius}; }
  static std::vector<Place> places_around(double x, double y, double radius);
  /// Draws the label at the first place where it covers nothing; not at all if there is none.
  void draw_label(const Disc& disc);

  Svg& svg_;
  double top_, bottom_;
  Scale x_, y_;
  std::vector<Disc> discs_;
  std::vector<Box> taken_;  ///< areas that labels must not cover
};

/// Names of series with their marks, row by row.
class Legend {
 public:
  /// Places the names of the series; names of more than 24 characters are shortened.
  explicit Legend(const std::vector<std::string>& names);
  double height() const { return height_; }  ///< pixels, from the top of the picture
  void draw(Svg& svg) const;

 private:
  struct Entry {
    std::string name;
    double x = 0, y = 0;
  };
  std::vector<Entry> entries_;
  double height_ = 0;
};

}  // namespace seqpoint::io::views::html
