#include "io/views/html/plot.hpp"

#include <algorithm>
#include <numeric>

namespace seqpoint::io::views::html {

void draw_y_axis(Svg& svg, const Area& area, const Scale& y, const std::string& name, int most, double least_step) {
  for (const Tick& tick : y.ticks(most, least_step)) {
    svg.line(area.left, y(tick.value), area.right, y(tick.value), "grid");
    svg.text(area.left - 8, y(tick.value) + 4, Anchor::end, "tick", tick.label);
  }
  svg.text(0, area.top - 14, Anchor::start, "axis", name);
}

void draw_x_axis(Svg& svg, const Area& area, const Scale& x, const std::string& name, int most) {
  svg.line(area.left, area.bottom, area.right, area.bottom, "base");
  for (const Tick& tick : x.ticks(most, 1)) {
    svg.line(x(tick.value), area.bottom, x(tick.value), area.bottom + 4, "base");
    svg.text(x(tick.value), area.bottom + 18, Anchor::middle, "tick", tick.label);
  }
  svg.text(area.right, area.bottom + 36, Anchor::end, "axis", name);
}

int x_ticks(const Frame& frame) { return std::max(3, static_cast<int>(frame.width / 60)); }

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
