#include "signature_groups.hpp"

#include <algorithm>
#include <numeric>

namespace seqpoint {

std::vector<SignatureGroup> signature_groups(const Population& all) {
  const Trace& trace = all.trace;
  std::vector<std::size_t> order(trace.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto by_signature = trace.signature(a) <=> trace.signature(b);
    return by_signature != 0 ? by_signature < 0 : all.has_statistic() && all.value_at(a) < all.value_at(b);
  });
  std::vector<SignatureGroup> groups;
  for (const std::size_t i : order) {
    if (groups.empty() || groups.back().signature != trace.signature(i)) groups.push_back({trace.signature(i), 0, 0});
    ++groups.back().count;
    if (all.has_statistic()) groups.back().sum += all.value_at(i);
  }
  return groups;
}

}  // namespace seqpoint
