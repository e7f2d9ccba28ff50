#include "io/views/html/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace seqpoint::io::views::html {
namespace {

constexpr double kLeft = 56, kRight = kPictureWidth - 16;
constexpr int kTicksAcross = 7, kTicksUp = 5;
constexpr double kMargin = 3;  // letters of the page's font may be some pixels wider than estimated

}  // namespace

Plot::Plot(Svg& svg, double top, double bottom, const Axis& x, const Axis& y)
    : svg_(svg),
      top_(top),
      bottom_(bottom),
      x_(x.low, x.high, kLeft, kRight, x.kind),
      y_(y.low, y.high, bottom, top, y.kind) {
  const Scale in_units(y.low / y.unit, y.high / y.unit, bottom, top, y.kind);
  for (const Tick& tick : in_units.ticks(kTicksUp, y.least_step)) {
    svg.line(kLeft, in_units(tick.value), kRight, in_units(tick.value), "grid");
    svg.text(kLeft - 8, in_units(tick.value) + 4, Anchor::end, "tick", tick.label);
  }
  svg.text(0, top - 14, Anchor::start, "axis", y.name);
  svg.line(kLeft, bottom, kRight, bottom, "base");
  if (x.name.empty()) return;
  for (const Tick& tick : x_.ticks(kTicksAcross, x.least_step)) {
    svg.line(x_(tick.value), bottom, x_(tick.value), bottom + 4, "base");
    svg.text(x_(tick.value), bottom + 18, Anchor::middle, "tick", tick.label);
  }
  svg.text(kRight, bottom + 36, Anchor::end, "axis", x.name);
}

void Plot::bar(std::string_view css_class, double left, double right, double value, std::string_view tip) {
  const double from = x_(left), width = x_(right) - from;
  svg_.rect(from, y_(value), width - (width > 4 ? 1 : 0), bottom_ - y_(value), css_class, tip);
}

void Plot::cell(std::string_view css_class, double left, double right, double low, double high, double strength,
                std::string_view tip) {
  svg_.mark("rect",
            {{"class", std::string(css_class)},
             {"x", pixels(x_(left))},
             {"y", pixels(y_(high))},
             {"width", pixels(x_(right) - x_(left))},
             {"height", pixels(std::max(1.0, y_(low) - y_(high)))},
             {"opacity", pixels(0.15 + 0.85 * std::sqrt(strength))}},
            tip);
}

void Plot::line(std::string_view css_class, const std::vector<std::pair<double, double>>& values) {
  constexpr double kStep = 3;  // a small box every few pixels
  std::string d;
  double from_x = 0, from_y = 0;
  for (const auto& [x, y] : values) {
    const double to_x = x_(x), to_y = y_(y);
    const double pieces = d.empty() ? 0 : std::ceil(std::hypot(to_x - from_x, to_y - from_y) / kStep);
    for (double part = 1; part < pieces; ++part)
      taken_.push_back(
          box_around(from_x + (to_x - from_x) * part / pieces, from_y + (to_y - from_y) * part / pieces, 2));
    d += (d.empty() ? "M" : "L") + pixels(to_x) + " " + pixels(to_y);
    from_x = to_x, from_y = to_y;
  }
  svg_.path(css_class, d);
}

/// Candidate positions next to a round mark, then around it, nearest first.
std::vector<Plot::Place> Plot::places_around(double x, double y, double radius) {
  const double side = radius + 4;
  std::vector<Place> places{{x + side, y + 4, Anchor::start}, {x - side, y + 4, Anchor::end}};
  for (const double more : {0.0, 14.0, 28.0})
    for (const double height : {y - radius - 5 - more, y + radius + 11 + more})
      for (const Anchor anchor : {Anchor::start, Anchor::end, Anchor::middle})
        places.push_back({anchor == Anchor::start ? x + 2 : anchor == Anchor::end ? x - 2 : x, height, anchor});
  return places;
}

void Plot::draw_label(const Disc& disc) {
  constexpr double kAscent = 10, kDescent = 4;
  const double width = text_width(disc.label) + kMargin;
  for (const Place& place : places_around(x_(disc.x), y_(disc.y), disc.radius)) {
    const double left = place.anchor == Anchor::start    ? place.x
                        : place.anchor == Anchor::middle ? place.x - width / 2
                                                         : place.x - width;
    const Box box{left, place.y - kAscent, left + width, place.y + kDescent};
    const bool free = std::ranges::none_of(taken_, [&](const Box& other) {
      return box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom;
    });
    if (!free || box.left < kLeft || box.right > kPictureWidth || box.top < top_ - kHead / 2 || box.bottom > bottom_)
      continue;
    svg_.text(place.x, place.y, place.anchor, "label", disc.label);
    taken_.push_back(box);
    return;
  }
}

void Plot::finish() {
  for (const Disc& disc : discs_) {
    taken_.push_back(box_around(x_(disc.x), y_(disc.y), disc.radius + kMargin));
    if (disc.stem) taken_.push_back({x_(disc.x) - kMargin, y_(disc.y), x_(disc.x) + kMargin, bottom_});
  }
  for (const Disc& disc : discs_) {
    svg_.open_focusable("point", disc.tip);
    if (disc.stem) svg_.line(x_(disc.x), y_(disc.y), x_(disc.x), bottom_, "stem");
    svg_.mark("circle", {{"class", std::string(disc.css_class)},
                         {"cx", pixels(x_(disc.x))},
                         {"cy", pixels(y_(disc.y))},
                         {"r", pixels(disc.radius)}});
    if (!disc.label.empty()) draw_label(disc);
    svg_.close("g");
  }
}

Legend::Legend(const std::vector<std::string>& names) {
  constexpr double kRow = 22, kMark = 6;
  double x = kMark, y = 8;
  for (const std::string& name : names) {
    std::string shown = shortened(name, 24);
    const double width = 32 + text_width(shown);
    if (x > kMark && x + width > kPictureWidth) x = kMark, y += kRow;
    entries_.push_back({std::move(shown), x, y});
    x += width;
  }
  height_ = y + kRow - 8;
}

void Legend::draw(Svg& svg) const {
  for (std::size_t s = 0; s < entries_.size(); ++s) {
    const Entry& entry = entries_[s];
    svg.open("g", {{"class", series_class(s)}});
    svg.mark("path", {{"class", "marker"}, {"d", marker_path(s, entry.x, entry.y, 5)}});
    svg.text(entry.x + 11, entry.y + 4, Anchor::start, "label", entry.name);
    svg.close("g");
  }
}

}  // namespace seqpoint::io::views::html
