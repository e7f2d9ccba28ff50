/// \file
/// A plot: two axes, marks that are placed by their values, labels where there is room, and a legend.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/views/html/scale.hpp"
#include "io/views/html/svg.hpp"

namespace seqpoint::io::views::html {

/// Pixels that a picture is wide. It is drawn once; the page scales it, and scrolls it where its letters would be too
/// small.
constexpr double kPictureWidth = 976;

struct Axis {
  std::string name;  ///< empty, of an x axis: no numbers either, as where another plot below has them
  double low = 0, high = 0;
  double least_step = 1;  ///< between numbers; 1: whole ones
  Scale::Kind kind = Scale::Kind::linear;
};

class Plot {
 public:
  static constexpr double kHead = 28, kFoot = 40;  ///< pixels that the axes take above and below

  /// Draws the axes; the plane reaches from `top` to `bottom` of the picture. `svg` outlives the plot.
  Plot(Svg& svg, double top, double bottom, const Axis& x, const Axis& y);

  const Scale& x() const { return x_; }
  const Scale& y() const { return y_; }

  /// From the base line up to `value`; bars that are wide enough stand apart.
  void bar(std::string_view css_class, double left, double right, double value, std::string_view tip);
  /// A rectangle, the stronger the larger the root of `strength` is, from 0 to 1.
  void cell(std::string_view css_class, double left, double right, double low, double high, double strength,
            std::string_view tip);
  /// From the top to the base line.
  void divider(double x, std::string_view tip);
  /// Takes the pointer where it is left of `right`.
  void strip(double left, double right, std::string_view tip);

  /// A round mark that the keyboard reaches.
  struct Disc {
    double x = 0, y = 0;  ///< values
    std::string label = {}, tip = {};
    std::string_view css_class = "disc";
    double radius = 4.5;  ///< pixels
    bool stem = false;    ///< down to the base line
  };
  void add(Disc disc) { discs_.push_back(std::move(disc)); }
  /// A line that labels must not cover.
  void line(std::string_view css_class, const std::vector<std::pair<double, double>>& values);
  /// Draws the discs. A label without room is left out, since the tip has it.
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
  void draw_label(const Disc& disc);

  Svg& svg_;
  double top_, bottom_;
  Scale x_, y_;
  std::vector<Disc> discs_;
  std::vector<Box> taken_;  ///< what labels must not cover
};

/// Names of series with their marks, row below row.
class Legend {
 public:
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
