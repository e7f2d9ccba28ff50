/// \file
/// The values of one metric, in file order.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// A value at a point. File and row are owned by the caller.
struct RowReading {
  const ProfileTable* file;
  const ProfileRow* row;
  std::size_t point;  ///< position in Selection::points
  double value;
};

/// The values of a metric in the rows that belong to points, ordered by file and row; without NaN and without files
/// that lack the metric. A row that belongs to several points is a reading of the first. `files`: those of match().
std::vector<RowReading> readings_of(const std::string& metric, const Measurements&,
                                    std::span<const ProfileTable> files);

}  // namespace seqpoint::profile
