/// \file
/// What measurements of several sessions differ by: another day, machine or node, another process.
#pragma once

#include <cstddef>
#include <optional>

#include "seqpoint/profile/measurements.hpp"

namespace seqpoint::project {

/// Time grows with the third power of the sessions, memory with the square.
inline constexpr std::size_t kMostSessions = 500;

/// Of sessions that measured the same points.
struct SessionSpread {
  bool significant = false;       ///< they differ by more than the repeats within them do, and than rounding does
  double variance = 0;            ///< between sessions, of shares of a value
  double degrees = 1;             ///< of freedom that it was estimated with: one less than there are sessions
  std::size_t low = 0, high = 0;  ///< the sessions with the smallest and the largest values
  double ratio = 1;               ///< of the values of `high` to those of `low`
};

/// Analysis of variance of the logarithms of a metric's values, points and sessions being the factors: Fisher's test at
/// 1 %. Nothing where there is one session, or more than kMostSessions, where no two measured the same point, where
/// nothing was repeated, or where a value is not above 0.
std::optional<SessionSpread> spread_of_sessions(const profile::Measurements&, std::size_t metric);

}  // namespace seqpoint::project
