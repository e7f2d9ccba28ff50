/// \file
/// Measurements that were put together by hand, beside what the rest takes for granted of them.
#pragma once

#include <span>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Throws std::invalid_argument, with the member that is to blame, unless they have the shape that Measurements
/// describes, for so many points, and hold what can be measured.
void require_valid(const Measurements&, std::size_t points);
/// The same where they have to say which rows of these tables they are from, for all that has steps.
void require_rows_of(const Measurements&, std::span<const ProfileTable>, std::size_t points);
/// Throws std::invalid_argument unless every row has a value of each metric, and roles are none or as many.
void require_valid(const ProfileTable&);

}  // namespace seqpoint::profile
