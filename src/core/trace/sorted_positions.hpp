/// \file
/// Sorting the iterations of a run by their lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "seqpoint/trace/trace.hpp"

namespace seqpoint::trace {

/// Positions 0, 1, ... ascending by the first column, then by the second, and so on; equal rows in their order. Columns
/// are of one length, or empty, which says nothing. Radix sort: linear, with few rounds where the largest values are
/// small.
std::vector<std::size_t> sorted_positions(std::initializer_list<std::span<const std::uint32_t>> columns);

/// The same of one column of fewer than 2^32 rows.
std::vector<std::uint32_t> sorted_rows(std::span<const std::uint32_t> column);

/// Positions of a run's iterations, ascending by signature; equal ones in their order.
std::vector<std::size_t> positions_by_signature(const Trace& run);

}  // namespace seqpoint::trace
