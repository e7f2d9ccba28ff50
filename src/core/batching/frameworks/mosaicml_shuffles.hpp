/// \file
/// The shuffles of MosaicML streaming (streaming/base/shuffle): shards of samples are laid out over canonical nodes,
/// the same in every epoch, and each node's samples are shuffled anew in every epoch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace seqpoint::batching::frameworks {

struct StreamShuffle {
  std::string_view algorithm;  ///< one of kStreamShuffles
  std::uint64_t nodes = 1;     ///< canonical ones, at most as many as there are samples
  std::uint64_t seed = 0;
  std::uint64_t block_size = 0;  ///< of py1e and py1br, 4 or more
};

inline constexpr std::array<std::string_view, 5> kStreamShuffles{"py1e", "py1br", "py1s", "py2s", "naive"};

/// The samples of an epoch in order, by their numbers; `shards` are how many each holds.
std::vector<std::uint32_t> shuffled_samples(std::span<const std::uint64_t> shards, const StreamShuffle& shuffle,
                                            std::uint64_t epoch);

}  // namespace seqpoint::batching::frameworks
