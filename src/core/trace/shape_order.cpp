#include "core/trace/shape_order.hpp"

#include <array>

#include "core/lengths/sorted_positions.hpp"

namespace seqpoint::trace {
namespace {

/// Bits `shift` to `shift` + 31 of that dimension of every shape.
std::vector<std::uint32_t> column_of(const Trace& run, Dimension dimension, unsigned shift) {
  std::vector<std::uint32_t> bits;
  bits.reserve(run.size());
  for (const Shape& s : run.shapes) bits.push_back(static_cast<std::uint32_t>(s[dimension] >> shift));
  return bits;
}

}  // namespace

std::vector<std::size_t> positions_by_shape(const Trace& run) {
  std::vector<std::vector<std::uint32_t>> columns;
  for (const Dimension d : dimensions_of(run.kind)) {
    if (largest_value(d) > UINT32_MAX) columns.push_back(column_of(run, d, 32));
    columns.push_back(column_of(run, d, 0));
  }
  return lengths::sorted_positions(columns);
}

std::vector<std::size_t> positions_by_length(const Trace& run) {
  const std::array columns{column_of(run, length_dimension(run.kind), 0)};
  return lengths::sorted_positions(columns);
}

}  // namespace seqpoint::trace
