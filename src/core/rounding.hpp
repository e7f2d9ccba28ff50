/// \file
/// Rounding up to multiples, and removing rounding errors from shares.
#pragma once

#include <cmath>
#include <cstdint>

namespace seqpoint {

/// The smallest multiple of `multiple`, which is above 0, that is not below `number`.
constexpr std::uint64_t rounded_up(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// The share, or 0 if it is nearer to 0 than 1e-12: such shares are rounding errors, which differ between machines.
inline double zero_if_rounding(double share) {
  constexpr double kRounding = 1e-12;
  return std::abs(share) < kRounding ? 0 : share;
}

}  // namespace seqpoint
