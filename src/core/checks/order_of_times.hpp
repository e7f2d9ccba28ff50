/// \file
/// Rules about the times of a column as a whole: their order in time, and their order by length.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/profile/readings.hpp"
#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::checks {

/// A slow start: in every process and at every point that it measured again, the first time is the longest, and usually
/// by kMinTrend or more. Nothing if so many first times would be the longest by chance more often than kFalseTrends:
/// the longest of n times is the first in one of n orders.
std::optional<Finding> slow_start_of(std::span<const profile::RowReading>, const std::string& metric);

/// Times that do not fit the lengths of their points: of the pairs of points whose sizes and times both differ by half
/// or more, the larger one takes less time in a quarter or more. If times had nothing to do with lengths, it would in
/// half of them (Kendall 1938). Noise and steps of kernels seldom change a time by half.
std::optional<Finding> reversed_points_of(std::span<const profile::RowReading>, const select::Selection&,
                                          const std::string& metric);

}  // namespace seqpoint::checks
