/// \file
/// What is left of a share that would be 0 but for rounding.
#pragma once

#include <cmath>

namespace seqpoint {

/// Shares nearer to 0 than this are rounding errors, which differ between machines: they become 0.
inline double zero_if_rounding(double share) {
  constexpr double kRounding = 1e-12;
  return std::abs(share) < kRounding ? 0 : share;
}

}  // namespace seqpoint
