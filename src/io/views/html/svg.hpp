/// \file
/// A writer of inline SVG: elements in sequence, the user's names always as text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace seqpoint::io::views::html {

/// A position on the page, to a tenth of a pixel: the same text on every machine.
std::string pixels(double value);

/// Approximate width of `text` in pixels, at the size of chart labels.
double text_width(std::string_view text);

/// `text` truncated to at most `characters`, with an ellipsis; whole characters of valid UTF-8.
std::string shortened(std::string_view text, std::size_t characters);

enum class Anchor { start, middle, end };

class Svg {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  /// `label` is the screen reader's text for the whole picture.
  Svg(double width, double height, std::string_view label);

  void open(std::string_view element, Attributes attributes = {});
  void close(std::string_view element);
  /// An element with a tooltip, or without one if the text is empty.
  void mark(std::string_view element, Attributes attributes, std::string_view tip = {});
  void text(double x, double y, Anchor anchor, std::string_view css_class, std::string_view text);
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void rect(double x, double y, double width, double height, std::string_view css_class, std::string_view tip = {});
  void path(std::string_view css_class, const std::string& d, std::string_view tip = {});
  /// A group that can be focused with the keyboard; its tooltip is read out and, on a wide page, shown above the
  /// picture.
  void open_focusable(std::string_view css_class, std::string_view tip);

  std::string finish();

 private:
  std::string out_;
  double width_;
};

/// The outlines of series, distinguishable without colour: circle, square, triangle, diamond, triangle upside down,
/// cross.
std::string marker_path(std::size_t series, double x, double y, double radius);
/// "s0" ... "s5": the CSS class of a series' colour.
std::string series_class(std::size_t series);

}  // namespace seqpoint::io::views::html
