#include "io/views/html/svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "io/text/escape.hpp"

namespace seqpoint::io::views::html {
namespace {

constexpr std::size_t kSeries = 6;

/// The number of UTF-8 characters.
std::size_t characters_of(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += text::is_continuation(byte) ? 0 : 1;
  return count;
}

/// The lines of a text that is broken at blanks. No line is wider than `width` pixels unless a single word is.
std::vector<std::string> lines_of(std::string_view text, double width) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (lines.empty() || text_width(lines.back()) + text_width(word) + text_width(" ") > width)
      lines.emplace_back(word);
    else
      lines.back() += fmt::format(" {}", word);
    at = end + 1;
  }
  return lines;
}

using Corners = std::span<const std::pair<double, double>>;

/// In radii, around the middle.
constexpr std::pair<double, double> kSquare[]{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}},
    kTriangle[]{{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}}, kDiamond[]{{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}},
    kUpsideDown[]{{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}},
    kCross[]{{-0.4, -1.1}, {0.4, -1.1}, {0.4, -0.4}, {1.1, -0.4}, {1.1, 0.4},   {0.4, 0.4},
             {0.4, 1.1},   {-0.4, 1.1}, {-0.4, 0.4}, {-1.1, 0.4}, {-1.1, -0.4}, {-0.4, -0.4}};
constexpr std::array<Corners, kSeries> kOutlines{Corners(), kSquare, kTriangle, kDiamond, kUpsideDown, kCross};

}  // namespace

std::string pixels(double value) {
  const long long tenths = std::llround(value * 10);
  const long long whole = tenths / 10, rest = std::abs(tenths % 10);
  return (tenths < 0 && whole == 0 ? "-" : "") + std::to_string(whole) + (rest == 0 ? "" : "." + std::to_string(rest));
}

double text_width(std::string_view text) { return 6.6 * static_cast<double>(characters_of(text)); }

std::string shortened(std::string_view text, std::size_t characters) {
  std::string valid = text::valid_utf8(text);
  if (characters_of(valid) <= characters) return valid;
  std::size_t end = 0, count = 0;
  while (count < characters - 1) {
    ++end;
    while (end < valid.size() && text::is_continuation(valid[end])) ++end;
    ++count;
  }
  return valid.substr(0, end) + "…";
}

Svg::Svg(double width, double height, std::string_view label) : width_(width) {
  open("svg", {{"viewBox", fmt::format("0 0 {} {}", pixels(width), pixels(height))},
               {"role", "group"},
               {"aria-label", std::string(label)}});
}

void Svg::open(std::string_view element, Attributes attributes) {
  out_ += '<';
  out_ += element;
  for (const auto& [name, value] : attributes) {
    if (value.empty()) continue;
    out_ += ' ';
    out_ += name;
    out_ += fmt::format("=\"{}\"", text::xml_text(value));
  }
  out_ += '>';
}

void Svg::close(std::string_view element) {
  out_ += "</";
  out_ += element;
  out_ += '>';
}

void Svg::mark(std::string_view element, Attributes attributes, std::string_view tip) {
  open(element, attributes);
  if (tip.empty()) {
    out_.back() = '/';
    out_ += '>';
    return;
  }
  out_ += fmt::format("<title>{}</title>", text::xml_text(tip));
  close(element);
  out_ += '\n';
}

void Svg::text(double x, double y, Anchor anchor, std::string_view css_class, std::string_view text) {
  constexpr std::array<const char*, 3> kAnchors{"", "middle", "end"};
  open("text", {{"x", pixels(x)},
                {"y", pixels(y)},
                {"class", std::string(css_class)},
                {"text-anchor", kAnchors[static_cast<std::size_t>(anchor)]}});
  out_ += text::xml_text(text);
  close("text");
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  mark("path", {{"class", std::string(css_class)},
                {"d", fmt::format("M{} {}L{} {}", pixels(x1), pixels(y1), pixels(x2), pixels(y2))}});
}

void Svg::rect(double x, double y, double width, double height, std::string_view css_class, std::string_view tip) {
  mark("rect",
       {{"class", std::string(css_class)},
        {"x", pixels(x)},
        {"y", pixels(y)},
        {"width", pixels(width)},
        {"height", pixels(height)}},
       tip);
}

void Svg::path(std::string_view css_class, const std::string& d, std::string_view tip) {
  mark("path", {{"class", std::string(css_class)}, {"d", d}}, tip);
}

void Svg::open_focusable(std::string_view css_class, std::string_view tip) {
  open("g", {{"class", std::string(css_class)}, {"tabindex", "0"}, {"role", "img"}, {"aria-label", std::string(tip)}});
  out_ += fmt::format("<title>{}</title>", text::xml_text(tip));
  double y = 12;
  for (const std::string& line : lines_of(tip, width_)) {
    text(width_, y, Anchor::end, "tip", line);
    y += 15;
  }
}

std::string Svg::finish() {
  close("svg");
  return std::move(out_) + '\n';
}

std::string marker_path(std::size_t series, double x, double y, double r) {
  const Corners corners = kOutlines.at(series % kSeries);
  if (corners.empty()) {  // a circle
    const std::string arc = fmt::format("a{} {} 0 1 0 ", pixels(r), pixels(r));
    return "M" + pixels(x - r) + " " + pixels(y) + arc + pixels(2 * r) + " 0" + arc + pixels(-2 * r) + " 0Z";
  }
  std::string d;
  for (const auto& [dx, dy] : corners) d += (d.empty() ? "M" : "L") + pixels(x + r * dx) + " " + pixels(y + r * dy);
  return d + "Z";
}

std::string series_class(std::size_t series) { return "s" + std::to_string(series % kSeries); }

}  // namespace seqpoint::io::views::html
