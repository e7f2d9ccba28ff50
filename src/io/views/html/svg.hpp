/// \file
/// A writer of inline SVG: elements in sequence, the user's names always as text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace seqpoint::io::views::html {

/// A number of pixels rounded to tenths, as text: "12.3", "12". The same text on every machine.
std::string pixels(double value);

/// Approximate width of `text` in pixels, at the size of chart labels.
double text_width(std::string_view text);

/// `text` truncated to at most `characters` (1 or more), including an ellipsis; whole characters of valid UTF-8.
std::string shortened(std::string_view text, std::size_t characters);

enum class Anchor { start, middle, end };

class Svg {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  /// `label` is the screen reader's text for the whole picture.
  Svg(double width, double height, std::string_view label);

  /// Writes a start tag. Attributes with an empty value are left out.
  void open(std::string_view element, Attributes attributes = {});
  void close(std::string_view element);
  /// Writes a whole element: with the tooltip `tip` as its content, or empty if `tip` is empty.
  void mark(std::string_view element, Attributes attributes, std::string_view tip = {});
  /// Writes a text whose start, middle or end is at `x`, and whose base line is at `y`. Positions in pixels.
  void text(double x, double y, Anchor anchor, std::string_view css_class, std::string_view text);
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void rect(double x, double y, double width, double height, std::string_view css_class, std::string_view tip = {});
  void path(std::string_view css_class, const std::string& d, std::string_view tip = {});
  /// Opens a group that can be focused with the keyboard; its tooltip is read out and, on a wide page, shown above the
  /// picture. close("g") ends the group.
  void open_focusable(std::string_view css_class, std::string_view tip);

  /// Ends the picture and returns it. To be called once, at the end.
  std::string finish();

 private:
  std::string out_;
  double width_;
};

/// The path of a series' mark around (x, y), in pixels. Six outlines, which repeat, are distinguishable without colour:
/// circle, square, triangle, diamond, triangle upside down, cross.
std::string marker_path(std::size_t series, double x, double y, double radius);
/// "s0" ... "s5": the CSS class of a series' colour; the seventh series is "s0" again.
std::string series_class(std::size_t series);

}  // namespace seqpoint::io::views::html
