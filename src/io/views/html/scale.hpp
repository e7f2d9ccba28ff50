/// \file
/// Maps values to positions on a page, and chooses round values for ticks.
#pragma once

#include <string>
#include <vector>

namespace seqpoint::io::views::html {

/// A value that an axis names.
struct Tick {
  double value = 0;
  std::string label;
};

/// The smallest of 1, 2 and 5 times a power of ten that divides `span` into at most `most` parts; `span` above zero.
double nice_step(double span, int most);

/// A number among others of the same axis: as many decimals as `step` asks for, groups of three digits apart, k, M or G
/// where `largest` is long.
std::string axis_label(double value, double step, double largest);

/// Whole numbers with narrow blanks between groups of three digits: "28 539".
std::string group_thousands(const std::string& digits);

/// Values from `low` to `high` on the way from one place to another, which may lie on either side of it.
class Scale {
 public:
  enum class Kind { linear, logarithmic };

  /// A range without extent is widened around its value. Logarithmic: both ends above zero.
  Scale(double low, double high, double from, double to, Kind kind = Kind::linear);

  double operator()(double value) const;
  /// At most `most` of linear scales, `least_step` or more apart (1: whole numbers); of logarithmic ones 1, 2 and 5
  /// times powers of ten, or only those powers.
  std::vector<Tick> ticks(int most, double least_step = 0) const;

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  std::vector<Tick> decades(int most) const;

  double low_, high_, from_, to_;
  Kind kind_;
};

}  // namespace seqpoint::io::views::html
