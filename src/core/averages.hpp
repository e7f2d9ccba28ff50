/// \file
/// One value out of the repeats of a measurement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace seqpoint {

/// The mean of at least one value.
inline double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The median of at least one value.
inline double median(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  return values.size() % 2 == 1 ? *upper : (*std::max_element(values.begin(), upper) + *upper) / 2;
}

}  // namespace seqpoint
