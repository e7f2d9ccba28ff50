#include "signature_groups.hpp"

#include <algorithm>

#include "core/sorted_positions.hpp"

namespace seqpoint {

std::vector<SignatureGroup> signature_groups(const Population& all) {
  const Trace& trace = all.trace;
  std::vector<SignatureGroup> groups;
  SortedSum sum;
  for (const std::size_t i : positions_by_signature(trace)) {
    const Signature signature = trace.signature(i);
    if (groups.empty() || groups.back().signature != signature) {
      if (!groups.empty()) groups.back().sum = sum.take();
      groups.push_back({signature, 0, 0});
    }
    ++groups.back().count;
    if (all.has_statistic()) sum.add(all.value_at(i));
  }
  groups.back().sum = sum.take();
  return groups;
}

double size_of(const Signature& s) { return s.batch_size * (static_cast<double>(s.src_len) + s.tgt_len); }

bool mostly_one_batch_size(const std::vector<SignatureGroup>& groups) {
  constexpr double kMostly = 0.9;
  std::uint32_t largest = 0;
  for (const SignatureGroup& group : groups) largest = std::max(largest, group.signature.batch_size);
  std::uint64_t with_largest = 0, all = 0;
  for (const SignatureGroup& group : groups) {
    all += group.count;
    if (group.signature.batch_size == largest) with_largest += group.count;
  }
  return static_cast<double>(with_largest) > kMostly * static_cast<double>(all);
}

}  // namespace seqpoint
