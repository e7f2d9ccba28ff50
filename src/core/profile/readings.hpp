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

/// By file and row. A row that belongs to several points is a reading of the first.
std::vector<RowReading> readings_of(const std::string& metric, const Measurements&,
                                    std::span<const ProfileTable> files);

}  // namespace seqpoint::profile
