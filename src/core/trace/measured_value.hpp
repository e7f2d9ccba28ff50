/// \file
/// Which numbers can be measurements.
#pragma once

#include <cmath>

namespace seqpoint::trace {

inline constexpr double kSmallestMeasurement = 1e-75,  ///< the smallest measurement but 0, in any unit
    kLargestMeasurement = 1e75;                        ///< the largest measurement in any unit

/// Whether a number is 0, or its absolute value is within these limits. False for NaN and infinities.
inline bool is_measurable(double value) {
  return value == 0 || (std::abs(value) >= kSmallestMeasurement && std::abs(value) <= kLargestMeasurement);
}

/// The message about a number that is not one, to follow the number: "1e-300 is ...".
inline constexpr auto kNotMeasurable = " is beyond all that is measured: 1e-75 to 1e75 in any unit, or 0";

}  // namespace seqpoint::trace
