#include "core/batching/distribute.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "seqpoint/error.hpp"

namespace seqpoint::batching {
namespace {

/// How many samples each rank gets in an epoch of `n` samples: n / ranks, rounded down with `drop_last`, else up
/// (torch/utils/data/distributed.py).
std::size_t samples_per_rank(std::size_t n, std::size_t ranks, bool drop_last) {
  if (drop_last && n % ranks != 0) return n < ranks ? 0 : (n - ranks + ranks - 1) / ranks;
  return (n + ranks - 1) / ranks;
}

/// Adds one side of the rows to `shape.tokens` and `shape.sq_tokens`. Returns the longest length; 0 for no rows.
std::uint32_t add_side(std::span<const std::uint32_t> rows, const std::vector<std::uint32_t>& lengths,
                       BatchShape& shape) {
  // Rows lie anywhere in memory. 32 fetches are in flight at a time: more than a processor prefetches by itself.
  constexpr std::size_t kAhead = 32;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size()) __builtin_prefetch(&lengths[rows[i + kAhead]]);
    const std::uint64_t length = lengths[rows[i]];
    most = std::max(most, lengths[rows[i]]);
    shape.tokens += length;
    shape.sq_tokens += length * length;
  }
  return most;
}

}  // namespace

Rows file_order(std::size_t n) {
  Rows rows(n);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

void distribute(std::span<const std::uint32_t> order, const BatchPolicy& policy, std::uint64_t epoch,
                const MicroBatchSink& sink) {
  const std::size_t ranks = policy.world_size;
  const std::size_t share = samples_per_rank(order.size(), ranks, policy.drop_last);
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> ends(ranks);
  for (std::size_t begin = 0; begin < share; begin += policy.batch_size) {
    const std::size_t end = std::min<std::size_t>(begin + policy.batch_size, share);
    if (policy.drop_last && end - begin < policy.batch_size) return;
    if (ranks == 1) {  // without a copy
      ends[0] = end - begin;
      sink({.epoch = epoch, .rows = order.subspan(begin, ends[0]), .rank_ends = ends});
      continue;
    }
    rows.clear();
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t k = begin; k < end; ++k) rows.push_back(order[(r + ranks * k) % order.size()]);
      ends[r] = rows.size();
    }
    sink({.epoch = epoch, .rows = rows, .rank_ends = ends});
  }
}

void distribute_batches(std::span<const std::uint32_t> order, const BatchPolicy& policy, std::uint64_t epoch,
                        IncompleteRound last, const MicroBatchSink& sink) {
  const std::size_t ranks = policy.world_size, size = policy.batch_size, round = ranks * size;
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> ends(ranks);
  for (std::size_t begin = 0; begin < order.size(); begin += round) {
    const std::size_t left = std::min(order.size() - begin, round);
    if (left < round && last == IncompleteRound::drop) return;
    const std::size_t taken = last == IncompleteRound::fill ? round : left;
    rows.clear();
    for (std::size_t k = begin; k < begin + taken; ++k) rows.push_back(order[k % order.size()]);
    for (std::size_t r = 0; r < ranks; ++r) ends[r] = std::min((r + 1) * size, taken);
    sink({.epoch = epoch, .rows = rows, .rank_ends = ends});
  }
}

BatchShape shape_of(std::span<const std::uint32_t> rows, const lengths::Lengths& lengths) {
  BatchShape shape;
  shape.sequences = static_cast<std::uint32_t>(rows.size());
  shape.src_len = add_side(rows, lengths.src, shape);
  if (lengths.paired()) shape.tgt_len = add_side(rows, lengths.tgt, shape);
  return shape;
}

std::string no_assumption(const BatchPolicy&) { return {}; }

Version parse_version(std::string_view text) {
  Version version;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (unsigned* const part : {&version.major, &version.minor, &version.patch}) {
    const auto [rest, error] = std::from_chars(at, end, *part);
    if (error != std::errc{}) break;
    if (rest == end || (*rest == '.' && part == &version.patch)) return version;
    if (*rest != '.') break;
    at = rest + 1;
  }
  throw ParameterError("sampler_version", fmt::format(": '{}' is not a version", text), "for example 1.13");
}

Version version_of(const BatchPolicy& policy, const Sampler& sampler) {
  return parse_version(policy.sampler_version.empty() ? sampler.versions.used
                                                      : std::string_view(policy.sampler_version));
}

}  // namespace seqpoint::batching
