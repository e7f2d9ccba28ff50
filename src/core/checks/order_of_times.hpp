/// \file
/// Rules about the order of a column's times, all points together.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/profile/readings.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::checks {

/// A slow start: in every process and at every point that it measured again, the first time is the longest, and usually
/// by kMinTrend or more. Nothing if so many first times would be the longest by chance more often than kFalseTrends:
/// the longest of n times is the first in one of n orders.
std::optional<Finding> slow_start_of(std::span<const profile::RowReading>, const std::string& metric);

/// A drift that few measurements show: in every process, each time of a point is longer than the one before, and the
/// last usually by kMinTrend or more over the first. Nothing if so many times would be in that order by chance more
/// often than kFalseTrends: one of n! orders of n times.
std::optional<Finding> steady_growth_of(std::span<const profile::RowReading>, const std::string& metric);

}  // namespace seqpoint::checks
