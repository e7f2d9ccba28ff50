/// \file
/// Whole numbers rounded up; and what is left of a share that would be 0 but for rounding.
#pragma once

#include <cmath>
#include <cstdint>

namespace seqpoint {

/// The next multiple; the number itself where it is one.
constexpr std::uint64_t rounded_up(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// Shares nearer to 0 than this are rounding errors, which differ between machines: they become 0.
inline double zero_if_rounding(double share) {
  constexpr double kRounding = 1e-12;
  return std::abs(share) < kRounding ? 0 : share;
}

}  // namespace seqpoint
