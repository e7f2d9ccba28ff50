/// \file
/// Figures with as many digits as their interval allows, in one unit.
#pragma once

#include <optional>
#include <string>

#include "core/project/projection.hpp"

namespace seqpoint::io::views {

/// How the total of a metric, and all that is compared with it, is written.
class Amounts {
 public:
  /// With two digits of half the interval; without an interval with four digits of the value. Seconds are in the unit
  /// that axes of the page have: h from 2 h on, min from 3 min, s from 1 s, else ms. `least`: the unit is that of so
  /// many seconds, as of other figures in a column.
  explicit Amounts(const project::MetricProjection&, std::optional<double> least = {});
  /// Seconds in the unit of `largest`, with four digits of it: parts of a whole, or times of a column.
  explicit Amounts(double largest);

  std::string text(double value) const;               ///< "124 s"
  std::string range(const project::Interval&) const;  ///< "110 to 138 s"
  std::string number(double value) const;             ///< "124"

 private:
  std::string unit_;
  double size_ = 1;
  int decimals_ = 0;
};

/// Decimals of two digits of half the interval; of so many digits of the value without an interval.
int decimals_of(double value, const project::IntervalOrReason& interval, int digits);

/// The metric of one epoch, with an interval in proportion. Requires `per_epoch`.
project::MetricProjection of_an_epoch(project::MetricProjection);
/// A number with so many decimals, its thousands grouped if there are none.
std::string with_decimals(double number, int decimals);

/// Seconds of an estimate, with two digits: "1.4 s".
std::string rough_duration(double seconds);
/// The smallest duration that rough_duration() prints as it is, and that is not less.
double rounded_up(double seconds);
/// "at most 4.8 s"; of a run whose lengths are known in part, which may have more shapes: "or more".
std::string limit_text(const project::ColdStart&);

}  // namespace seqpoint::io::views
