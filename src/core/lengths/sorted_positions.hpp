/// \file
/// Sorting rows by columns of lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace seqpoint::lengths {

/// Positions 0, 1, ... of the rows, ascending by the first column, then by the second, and so on; equal rows keep their
/// order. Columns have one size; without columns there are no rows. Radix sort: linear, with few rounds if the values
/// are small.
std::vector<std::size_t> sorted_positions(std::span<const std::vector<std::uint32_t>> columns);

/// The same for one column of fewer than 2^32 rows, with positions of 32 bits.
std::vector<std::uint32_t> sorted_rows(std::span<const std::uint32_t> column);

}  // namespace seqpoint::lengths
