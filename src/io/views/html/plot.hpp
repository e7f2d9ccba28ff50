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
};

class Plot {
 public:
  static constexpr double kHead = 28, kFoot = 40;  ///< pixels above and below the axes

  /// Draws the axes; the plane reaches from `top` to `bottom` of the picture. `svg` outlives the plot.
  Plot(Svg& svg, double top, double bottom, const Axis& x, const Axis& y);

  const Scale& x() const { return x_; }
  const Scale& y() const { return y_; }

  /// From the base line up to `value`; wide bars have gaps between them.
  void bar(std::string_view css_class, double left, double right, double value, std::string_view tip);
  /// A rectangle whose opacity grows with the root of `strength`, from 0 to 1.
  void cell(std::string_view css_class, double left, double right, double low, double high, double strength,
            std::string_view tip);
  /// From the top to the base line.
  void divider(double x, std::string_view tip);
  /// Area that reacts to the pointer left of `right`.
  void strip(double left, double right, std::string_view tip);

  /// A round mark that can be focused with the keyboard.
  struct Disc {
    double x = 0, y = 0;  ///< values
    std::string label = {}, tip = {};
    std::string_view css_class = "disc";
    double radius = 4.5;  ///< pixels
    bool stem = false;    ///< with a line down to the base line
  };
  void add(Disc disc) { discs_.push_back(std::move(disc)); }
  /// A line that labels must not cover.
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
