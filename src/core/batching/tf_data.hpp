/// \file
/// The two transformations of tf.data that order a data set: Dataset.shuffle and group_by_window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/batching/groups.hpp"
#include "seqpoint/batches.hpp"

namespace seqpoint::batching {

/// The pair of seeds that tf.data hands to its shuffling, from tf.random.set_seed (option --global-seed) and the seed
/// of the transformation (--seed, 0 where it is not given).
std::pair<std::uint64_t, std::uint64_t> tf_seeds(const BatchPolicy& policy);

/// Dataset.shuffle(buffer_size, seed): the rows in the order of one pass.
class TfShuffle {
 public:
  /// `buffer_size` >= 1. `reshuffle`: reshuffle_each_iteration, a new order in every pass.
  TfShuffle(std::pair<std::uint64_t, std::uint64_t> seeds, std::uint64_t buffer_size, bool reshuffle)
      : seeds_(seeds), buffer_size_(buffer_size), reshuffle_(reshuffle) {}

  std::vector<std::uint32_t> operator()(std::vector<std::uint32_t> rows, std::uint64_t pass) const;

 private:
  std::pair<std::uint64_t, std::uint64_t> seeds_of_pass(std::uint64_t pass) const;

  std::pair<std::uint64_t, std::uint64_t> seeds_;
  std::uint64_t buffer_size_;
  bool reshuffle_;
};

/// How rows are grouped: `key` is below `windows.size()`, and group k is a batch as soon as it holds windows[k] rows.
struct Windows {
  std::function<std::size_t(std::uint32_t row)> key;
  std::vector<std::uint64_t> sizes;  ///< >= 1 each
  bool drop_remainder = false;
};

/// group_by_window. At the end of the data the groups that are not full follow, by ascending key.
Batches group_by_window(std::span<const std::uint32_t> order, const Windows& windows);

}  // namespace seqpoint::batching
