/// \file
/// Checks measurements that were built by hand against the assumptions of the library.
#pragma once

#include <span>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Throws std::invalid_argument, naming the wrong member, unless they have the structure that Measurements describes,
/// for that many points, and values that can be measurements.
void require_valid(const Measurements&, std::size_t points);
/// The same, and they must name their rows in these tables, for all tables with steps.
void require_rows_of(const Measurements&, std::span<const ProfileTable>, std::size_t points);
/// Throws std::invalid_argument unless every row has a value of each metric, and roles are none or as many.
void require_valid(const ProfileTable&);

}  // namespace seqpoint::profile
