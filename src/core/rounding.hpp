/// \file
/// Rounding up to multiples, and removing rounding errors from shares.
#pragma once

#include <cmath>
#include <cstdint>

namespace seqpoint {

/// The next multiple; the number itself if it is one.
constexpr std::uint64_t rounded_up(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// Sets shares nearer to 0 than this to 0: they are rounding errors, which differ between machines.
inline double zero_if_rounding(double share) {
  constexpr double kRounding = 1e-12;
  return std::abs(share) < kRounding ? 0 : share;
}

}  // namespace seqpoint
