/// \file
/// Maps values to positions on a page, and chooses round values for ticks.
#pragma once

#include <string>
#include <vector>

namespace seqpoint::io::views::html {

/// A value to label on an axis.
struct Tick {
  double value = 0;
  std::string label;
};

/// The smallest of 1, 2 and 5 times powers of ten that divides `span`, which is above zero, into at most `most` parts.
double nice_step(double span, int most);

/// A number on an axis: with the decimals that `step` requires, groups of three digits ("28,539"), and k, M or G if
/// `largest` is long.
std::string axis_label(double value, double step, double largest);

/// The unit of an axis of times up to `most` seconds: h from 2 h on, min from 3 min, s from 1 s, else ms, about as
/// duration_text() has them.
struct TimeUnit {
  const char* name;
  double seconds;
};
TimeUnit time_unit(double most);

/// Maps values from `low` to `high` to positions between two ends, in either direction.
class Scale {
 public:
  enum class Kind { linear, logarithmic };

  /// A range without extent is widened around its value. Logarithmic: both ends above zero.
  Scale(double low, double high, double from, double to, Kind kind = Kind::linear);

  /// The position of a value; values outside of the range are extrapolated.
  double operator()(double value) const;
  /// About `most` ticks on linear scales, `least_step` or more apart (1: whole numbers). On logarithmic scales 1, 2 and
  /// 5 times powers of ten, or only the powers if there are more than `most` ticks and at least two powers.
  std::vector<Tick> ticks(int most, double least_step = 0) const;

  double low() const { return low_; }
  double high() const { return high_; }
  Kind kind() const { return kind_; }

 private:
  std::vector<Tick> decades(int most) const;

  double low_, high_, from_, to_;
  Kind kind_;
};

}  // namespace seqpoint::io::views::html
