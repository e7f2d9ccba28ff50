/// \file
/// Checks measurements that were built by hand against the assumptions of the library.
#pragma once

#include <span>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Throws std::invalid_argument, naming the wrong member, for a metric named twice, members whose lengths fit neither
/// the metrics nor that many points, a metric, point or process that is not there, and a value that cannot be a
/// measurement (trace::is_measurable). Not checked: device_busy and the counts.
void require_valid(const Measurements&, std::size_t points);
/// The same. Also throws std::invalid_argument unless `source_rows` is set, has only rows that these tables have, and
/// the tables are valid.
void require_rows_of(const Measurements&, std::span<const ProfileTable>, std::size_t points);
/// Throws std::invalid_argument unless every row has a value of each metric (possibly NaN), a subject and an origin,
/// and roles are none or as many as metrics.
void require_valid(const ProfileTable&);

}  // namespace seqpoint::profile
