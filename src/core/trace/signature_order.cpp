#include "core/trace/signature_order.hpp"

#include "core/lengths/sorted_positions.hpp"

namespace seqpoint::trace {
namespace {

/// Bits `shift` to `shift` + 31 of every number.
std::vector<std::uint32_t> halves(const std::vector<std::uint64_t>& column, unsigned shift) {
  std::vector<std::uint32_t> bits;
  bits.reserve(column.size());
  for (const std::uint64_t value : column) bits.push_back(static_cast<std::uint32_t>(value >> shift));
  return bits;
}

}  // namespace

std::vector<std::size_t> positions_by_signature(const Trace& run) {
  const std::vector<std::uint32_t> high = halves(run.sq_tokens, 32), low = halves(run.sq_tokens, 0);
  return lengths::sorted_positions({run.src_len, run.tgt_len, run.batch_size, run.batch_tokens, high, low});
}

}  // namespace seqpoint::trace
