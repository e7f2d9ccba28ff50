#include "core/batching/tf_data.hpp"

#include <algorithm>

#include "core/rng/rng.hpp"

namespace seqpoint::batching {
namespace {

/// Python's seed % (2^31 - 1), which is never negative (tensorflow/python/framework/random_seed.py). Negative seeds
/// come modulo 2^64.
std::uint64_t truncated(std::uint64_t seed) {
  constexpr std::int64_t kModulus = 0x7FFFFFFF;
  const std::int64_t remainder = static_cast<std::int64_t>(seed) % kModulus;
  return static_cast<std::uint64_t>(remainder < 0 ? remainder + kModulus : remainder);
}

}  // namespace

std::pair<std::uint64_t, std::uint64_t> tf_seeds(const BatchPolicy& policy) {
  constexpr std::uint64_t kDefaultGlobal = 87654321, kInsteadOfZeros = 0x7FFFFFFF;
  const auto global = policy.options.count("global-seed");
  const std::uint64_t first = global ? truncated(*global) : kDefaultGlobal;
  const std::uint64_t second = truncated(policy.seed.value_or(0));
  if (first == 0 && second == 0) return {0, kInsteadOfZeros};
  return {first, second};
}

std::pair<std::uint64_t, std::uint64_t> TfShuffle::seeds_of_pass(std::uint64_t pass) const {
  if (!reshuffle_) return seeds_;
  rng::PhiloxRandom generator(seeds_.first, seeds_.second);
  for (std::uint64_t i = 0; i < 2 * pass; ++i) generator();
  const std::uint64_t first = generator();
  return {first, generator()};
}

// A ring of buffer_size slots that is filled up before every draw (tensorflow/core/kernels/data/shuffle_dataset_op.cc).
// More slots than rows never wrap, so as many as there are rows give the same order.
std::vector<std::uint32_t> TfShuffle::operator()(std::vector<std::uint32_t> rows, std::uint64_t pass) const {
  const auto [seed, seed2] = seeds_of_pass(pass);
  rng::PhiloxRandom generator(seed, seed2);
  std::vector<std::uint32_t> ring(std::min<std::uint64_t>(buffer_size_, rows.size()));
  std::size_t end = 0;
  for (std::size_t start = 0; start < rows.size(); ++start) {
    for (; end < rows.size() && end - start < ring.size(); ++end) ring[end % ring.size()] = rows[end];
    std::uint32_t& drawn = ring[(start + generator() % (end - start)) % ring.size()];
    rows[start] = drawn;  // read long ago: start < end
    drawn = ring[start % ring.size()];
  }
  return rows;
}

// The groups are a std::map in tensorflow/core/kernels/data/group_by_window_dataset_op.cc: hence the ascending keys.
Batches group_by_window(std::span<const std::uint32_t> order, const Windows& windows) {
  Batches batches;
  std::vector<Rows> groups(windows.sizes.size());
  for (const std::uint32_t row : order) {
    const std::size_t key = windows.key(row);
    groups[key].push_back(row);
    if (groups[key].size() < windows.sizes[key]) continue;
    batches.add_group(groups[key]);
    groups[key].clear();
  }
  for (const Rows& group : groups)
    if (!windows.drop_remainder) batches.add_group(group);
  return batches;
}

}  // namespace seqpoint::batching
