#include "core/trace/relative_distance.hpp"

#include <algorithm>
#include <cstdint>

namespace seqpoint::trace {

double relative_distance(const Shape& a, const Shape& b) {
  double sum = 0;
  for (const Dimension d : kDimensions) {
    const std::uint64_t less = std::min(a[d], b[d]), more = std::max(a[d], b[d]);
    if (less < more) sum += static_cast<double>(more - less) / static_cast<double>(more);
  }
  return sum;
}

}  // namespace seqpoint::trace
