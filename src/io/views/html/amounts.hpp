/// \file
/// Figures with as many digits as their interval allows, in one unit.
#pragma once

#include <string>

#include "core/project/projection.hpp"

namespace seqpoint::io::views::html {

/// How the total of a metric, and all that is compared with it, is written.
class Amounts {
 public:
  /// With two digits of half the interval; without an interval with four digits of the value. Seconds are in the unit
  /// that axes of the page have: h from 2 h on, min from 3 min, s from 1 s, else ms.
  explicit Amounts(const project::MetricProjection&);

  std::string text(double value) const;               ///< "124 s"
  std::string range(const project::Interval&) const;  ///< "110 to 138 s"

 private:
  std::string number(double value) const;

  std::string unit_;
  double size_ = 1;
  int decimals_ = 0;
};

/// Seconds of an estimate, with two digits: "1.4 s".
std::string rough_duration(double seconds);

}  // namespace seqpoint::io::views::html
