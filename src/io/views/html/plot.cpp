#include "io/views/html/plot.hpp"

#include <algorithm>
#include <numeric>

namespace seqpoint::io::views::html {

void draw_y_axis(Svg& svg, const Area& area, const Scale& y, const std::string& name, int most, double least_step) {
  for (const Tick& tick : y.ticks(most, least_step)) {
    svg.line(area.left, y(tick.value), area.right, y(tick.value), "grid");
    svg.text(area.left - 8, y(tick.value) + 4, Anchor::end, "tick", tick.label);
  }
  if (!name.empty()) svg.text(0, area.top - 14, Anchor::start, "axis", name);
}

void draw_x_axis(Svg& svg, const Area& area, const Scale& x, const std::string& name, int most) {
  svg.line(area.left, area.bottom, area.right, area.bottom, "base");
  for (const Tick& tick : x.ticks(most, 1)) {
    svg.line(x(tick.value), area.bottom, x(tick.value), area.bottom + 4, "base");
    svg.text(x(tick.value), area.bottom + 18, Anchor::middle, "tick", tick.label);
  }
  svg.text(area.right, area.bottom + 36, Anchor::end, "axis", name);
}

int x_ticks(double width) { return std::max(3, static_cast<int>(width / 60)); }

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

Box box_around(double x, double y, double radius) { return {x - radius, y - radius, x + radius, y + radius}; }

Box box_of(const Place& place, std::string_view text) {
  constexpr double kAscent = 10, kDescent = 4;
  const double width = text_width(text);
  const double left = place.anchor == Anchor::start    ? place.x
                      : place.anchor == Anchor::middle ? place.x - width / 2
                                                       : place.x - width;
  return {left, place.y - kAscent, left + width, place.y + kDescent};
}

std::vector<Place> places_around(double x, double y, double radius) {
  const double side = radius + 4;
  std::vector<Place> places{{x + side, y + 4, Anchor::start}, {x - side, y + 4, Anchor::end}};
  for (const double more : {0.0, 14.0, 28.0})
    for (const double height : {y - radius - 5 - more, y + radius + 11 + more})
      for (const Anchor anchor : {Anchor::start, Anchor::end, Anchor::middle})
        places.push_back({anchor == Anchor::start ? x + 2 : anchor == Anchor::end ? x - 2 : x, height, anchor});
  return places;
}

std::optional<Place> free_place(std::span<const Place> places, std::string_view text, std::span<const Box> taken,
                                const Box& within) {
  for (const Place& place : places) {
    const Box box = box_of(place, text);
    const bool inside =
        box.left >= within.left && box.right <= within.right && box.top >= within.top && box.bottom <= within.bottom;
    if (inside && std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return overlap(box, other); }))
      return place;
  }
  return std::nullopt;
}

std::vector<double> spread_apart(std::vector<double> heights, double gap, double top, double bottom) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return heights[a] < heights[b]; });
  double least = top;
  for (const std::size_t i : order) {
    heights[i] = std::max(heights[i], least);
    least = heights[i] + gap;
  }
  double most = bottom;
  std::reverse(order.begin(), order.end());
  for (const std::size_t i : order) {
    heights[i] = std::min(heights[i], most);
    most = heights[i] - gap;
  }
  return heights;
}

}  // namespace seqpoint::io::views::html
