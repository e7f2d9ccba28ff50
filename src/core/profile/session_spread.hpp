/// \file
/// What measurements of several sessions differ by: another day, machine or node, another process.
#pragma once

#include <cstddef>
#include <optional>

#include "seqpoint/profile/measurements.hpp"

namespace seqpoint::profile {

/// Of sessions that measured the same points and differ by more than the repeats within them do.
struct SessionSpread {
  double deviation = 0;           ///< standard deviation between sessions, as a share of a value
  double degrees = 1;             ///< of freedom that it was estimated with: one less than there are sessions
  std::size_t low = 0, high = 0;  ///< the sessions with the smallest and the largest values
  double ratio = 1;               ///< of the values of `high` to those of `low`

  /// What it adds to the half-width of an interval of a total, a share: the mean of these sessions is one draw of what
  /// the mean of so many may be.
  double half_width(double confidence) const;
};

/// Analysis of variance of the logarithms of a metric's values, points and sessions being the factors: Fisher's test at
/// 1 %. Nothing where there is one session, where no two measured the same point, where nothing was repeated, or where
/// a value is not above 0.
std::optional<SessionSpread> spread_of_sessions(const Measurements&, std::size_t metric);

}  // namespace seqpoint::profile
