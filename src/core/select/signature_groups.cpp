#include "core/select/signature_groups.hpp"

#include "core/trace/signature_order.hpp"

namespace seqpoint::select {

std::vector<SignatureGroup> signature_groups(const Population& all) {
  const trace::Trace& trace = all.trace;
  std::vector<SignatureGroup> groups;
  SortedSum sum;
  for (const std::size_t i : trace::positions_by_signature(trace)) {
    const trace::Signature signature = trace.signature(i);
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

}  // namespace seqpoint::select
