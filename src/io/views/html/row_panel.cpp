#include "io/views/html/row_panel.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace seqpoint::io::views::html {
namespace {

constexpr double kHead = 34, kFoot = 34, kRow = 30;

/// Whether the axis has to include 0.
bool includes_zero(const RowPanel& panel) { return panel.from_zero && !panel.reference && !panel.logarithmic; }

/// The axis between two x positions in pixels. It covers all values, intervals, dots but outliers, and the
/// reference. Linear if a
/// value is not above 0.
Scale scale_of(const RowPanel& panel, double left, double right) {
  double low = panel.reference.value_or(INFINITY), high = panel.reference.value_or(-INFINITY);
  for (const Row& row : panel.rows)
    for (const RowValue& value : row.values) {
      low = std::min(low, value.interval ? value.interval->low : value.value);
      high = std::max(high, value.interval ? value.interval->high : value.value);
    }
  for (const Row& row : panel.rows)
    for (const Dot& dot : row.dots)
      if (!dot.is_outlier) {
        low = std::min(low, dot.value);
        high = std::max(high, dot.value);
      }
  if (panel.logarithmic && low > 0) return {low / 1.2, high * 1.2, left, right, Scale::Kind::logarithmic};
  if (includes_zero(panel) || (panel.logarithmic && !panel.reference))
    return {std::min(0.0, low), std::max(0.0, high), left, right};
  const double edge = 0.08 * (high - low);
  return {low - edge, high + edge, left, right};
}

/// Draws the mark of a value, its interval if that has a width and, if rows have one value each on an axis from 0, a
/// line from 0.
void draw_value(Svg& svg, const RowPanel& panel, const RowValue& value, const Scale& x, double y) {
  svg.open_focusable("point " + series_class(value.series), value.tip);
  if (includes_zero(panel) && panel.rows.front().values.size() == 1) svg.line(x(0), y, x(value.value), y, "track");
  if (value.interval && value.interval->low < value.interval->high) {
    const double low = x(value.interval->low), high = x(value.interval->high);
    svg.path("whisker", fmt::format("M{} {}V{}M{} {}H{}M{} {}V{}", pixels(low), pixels(y - 5), pixels(y + 5),
                                    pixels(low), pixels(y), pixels(high), pixels(high), pixels(y - 5), pixels(y + 5)));
  }
  svg.mark("path", {{"class", "marker"}, {"d", marker_path(value.series, x(value.value), y, 5)}});
  svg.close("g");
}

/// A circle; beyond the axis, an arrow at its end.
void draw_dot(Svg& svg, const Dot& dot, const Scale& x, double y) {
  const std::string kind = (dot.is_outlier ? "outlier " : "process ") + series_class(dot.series);
  if (x.low() <= dot.value && dot.value <= x.high())
    return svg.mark("circle", {{"class", kind}, {"cx", pixels(x(dot.value))}, {"cy", pixels(y)}, {"r", "3"}}, dot.tip);
  const bool above = dot.value > x.high();
  const double end = x(above ? x.high() : x.low()), back = above ? end - 6 : end + 6;
  svg.mark("path",
           {{"class", kind},
            {"d", fmt::format("M{} {}L{} {}L{} {}Z", pixels(back), pixels(y - 4), pixels(end), pixels(y), pixels(back),
                              pixels(y + 4))}},
           dot.tip);
}

/// The width in pixels of the widest of one text of all rows.
double widest(const RowPanel& panel, std::string Row::*text) {
  double width = 0;
  for (const Row& row : panel.rows) width = std::max(width, text_width(row.*text));
  return width;
}

}  // namespace

double height_of(const RowPanel& panel) { return kHead + kRow * static_cast<double>(panel.rows.size()) + kFoot; }

void draw_rows(Svg& svg, const RowPanel& panel, double top) {
  const double from = std::min(widest(panel, &Row::name) + 14, kPictureWidth * 0.5) + 4,
               to = kPictureWidth - widest(panel, &Row::figure) - 16;
  const Scale x = scale_of(panel, from, to);
  const double first = top + kHead, bottom = first + kRow * static_cast<double>(panel.rows.size());
  svg.text(0, top + 14, Anchor::start, "axis", panel.title);
  const Scale in_units(x.low() / panel.unit, x.high() / panel.unit, from, to, x.kind());
  for (const Tick& tick : in_units.ticks(std::max(2, static_cast<int>((to - from) / 50)))) {
    svg.line(in_units(tick.value), first - 4, in_units(tick.value), bottom, "grid");
    svg.text(in_units(tick.value), bottom + 16, Anchor::middle, "tick", tick.label);
  }
  if (panel.reference) svg.line(x(*panel.reference), first - 4, x(*panel.reference), bottom, "reference");
  for (std::size_t r = 0; r < panel.rows.size(); ++r) {
    const Row& row = panel.rows[r];
    const double y = first + kRow * (static_cast<double>(r) + 0.5);
    svg.text(0, y + 4, Anchor::start, "label", shortened(row.name, static_cast<std::size_t>(from / text_width("m"))));
    for (const RowValue& value : row.values) draw_value(svg, panel, value, x, y);
    for (const Dot& dot : row.dots) draw_dot(svg, dot, x, y + 10);
    if (!row.figure.empty()) svg.text(kPictureWidth, y + 4, Anchor::end, "label strong", row.figure);
  }
}

std::string draw_panel(const RowPanel& panel, std::string_view label, const Legend& legend) {
  Svg svg(kPictureWidth, legend.height() + height_of(panel), label);
  legend.draw(svg);
  draw_rows(svg, panel, legend.height());
  return svg.finish();
}

}  // namespace seqpoint::io::views::html
