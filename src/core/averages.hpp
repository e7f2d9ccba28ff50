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
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace seqpoint
