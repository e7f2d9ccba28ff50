/// \file
/// One value out of the repeats of a measurement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace seqpoint {

/// The mean, or where `robust` the median. `repeats` is not empty.
inline double middle(std::vector<double> repeats, bool robust) {
  if (!robust) {
    double sum = 0;
    for (const double value : repeats) sum += value;
    return sum / static_cast<double>(repeats.size());
  }
  std::sort(repeats.begin(), repeats.end());
  const std::size_t half = repeats.size() / 2;
  return repeats.size() % 2 == 1 ? repeats[half] : (repeats[half - 1] + repeats[half]) / 2;
}

}  // namespace seqpoint
