/// \file
/// Karmarkar and Karp's largest differencing method over k sets, with verl's rules for equals
/// (verl/utils/seqlen_balancing.py).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace seqpoint::batching {

/// The items of each of `sets` sets whose sums are to be alike, ascending in each set; sets by falling sum. With
/// `equal_size` every set has as many items, and `values` must be a multiple of `sets`; else at least as many. Sums
/// have to fit into 64 bits.
std::vector<std::vector<std::uint32_t>> balanced_partitions(std::span<const std::uint64_t> values, std::size_t sets,
                                                            bool equal_size);

}  // namespace seqpoint::batching
