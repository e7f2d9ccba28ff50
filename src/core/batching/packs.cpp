#include "core/batching/packs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/batching/micro_batch_builder.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching {
namespace {

/// Turns micro-batches whose rows are pack numbers into micro-batches of dataset rows.
class PacksToRows {
 public:
  PacksToRows(const Packs& packs, const MicroBatchSink& sink) : packs_(packs), builder_(sink) {}

  /// Sends the micro-batch with dataset rows and shapes.
  void operator()(const MicroBatch& micro_batch) {
    for (std::size_t r = 0; r < micro_batch.ranks(); ++r) add_rank(micro_batch.rows_of_rank(r));
    builder_.send(micro_batch.epoch);
  }

 private:
  /// Adds one rank's batch: every pack is a sequence, padded to the longest.
  void add_rank(std::span<const std::uint32_t> packs) {
    rows_.clear();
    BatchShape shape{.sequences = static_cast<std::uint32_t>(packs.size())};
    for (const std::uint32_t pack : packs) {
      const std::uint64_t tokens = add_pack(packs_[pack], shape);
      shape.src_len = std::max(shape.src_len, static_cast<std::uint32_t>(tokens));
      shape.tokens += tokens;
    }
    builder_.add_rank(rows_, shape);
  }

  /// Adds the rows of a pack to `rows_`, and the squares of its pieces to `shape`. Neighbouring pieces of one row, also
  /// of two packs, count as one row. Returns the pack's tokens.
  std::uint64_t add_pack(std::span<const Piece> pieces, BatchShape& shape) {
    std::uint64_t tokens = 0;
    for (const Piece& piece : pieces) {
      if (rows_.empty() || rows_.back() != piece.row) rows_.push_back(piece.row);
      tokens += piece.tokens;
      shape.sq_tokens += std::uint64_t{piece.tokens} * piece.tokens;
    }
    return tokens;
  }

  const Packs& packs_;
  MicroBatchBuilder builder_;
  std::vector<std::uint32_t> rows_;
};

/// The sampler that --loader names, `accelerate` by default. Throws ParameterError for another word, and for a seed
/// that the sampler does not use.
const Sampler& loader_of(const BatchPolicy& policy) {
  constexpr std::array<std::string_view, 3> kLoaders{"accelerate", "pytorch-distributed", "sequential"};
  const Sampler& loader = find_sampler(policy.options.one_of("loader", kLoaders));
  if (policy.seed && !loader.takes_seed)
    throw ParameterError("seed", fmt::format("has no use here: `loader` {} draws nothing at random", loader.name),
                         "leave it out");
  return loader;
}

}  // namespace

void Packs::add_bins(std::span<const Piece> pieces, std::span<const std::uint32_t> bin_of, std::size_t bins) {
  std::vector<std::size_t> next(bins + 1, 0);
  for (const std::uint32_t bin : bin_of) ++next[bin + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const std::size_t before = items_.size();
  items_.resize(before + pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) items_[before + next[bin_of[i]]++] = pieces[i];
  for (std::size_t bin = 0, last = 0; bin < bins; last = next[bin++])
    if (next[bin] > last) ends_.push_back(before + next[bin]);
}

std::vector<RowRange> map_batches(std::size_t rows, std::uint64_t batch_size, std::uint64_t processes) {
  const std::size_t shards = std::clamp<std::size_t>(processes, 1, std::max<std::size_t>(rows, 1));
  std::vector<RowRange> batches;
  std::size_t begin = 0;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const std::size_t end = begin + rows / shards + (shard < rows % shards ? 1 : 0);
    while (begin < end) {
      const std::size_t size = batch_size == 0 ? end - begin : std::min<std::size_t>(batch_size, end - begin);
      batches.push_back({begin, begin + size});
      begin += size;
    }
  }
  return batches;
}

void add_concatenated(Packs& packs, std::span<const std::uint32_t> lengths, RowRange rows, std::uint64_t length) {
  std::uint64_t free = length;
  for (std::size_t row = rows.begin; row < rows.end; ++row)
    for (std::uint64_t left = lengths[row]; left > 0;) {
      const std::uint64_t taken = std::min(left, free);
      packs.add({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(taken)});
      left -= taken;
      free -= taken;
      if (free > 0) continue;
      packs.close();
      free = length;
    }
  packs.close();
}

void load(const Packs& packs, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const Sampler& loader = loader_of(policy);
  if (packs.size() == 0)
    throw ParameterError("sampler", fmt::format("{}: the samples make no sequence: they are empty", policy.sampler));
  if (packs.size() > 0xFFFFFFFFU)
    throw ParameterError("sampler", fmt::format("{} makes more than 4294967295 sequences", policy.sampler),
                         "longer sequences");
  const lengths::Lengths sequences{std::vector<std::uint32_t>(packs.size(), 0), {}, {}};
  PacksToRows to_rows(packs, sink);
  loader.run(sequences, policy, [&to_rows](const MicroBatch& micro_batch) { to_rows(micro_batch); });
}

std::string assumptions(std::string_view of_packer, const BatchPolicy& policy) {
  const std::string of_loader = loader_of(policy).assumes(policy);
  return fmt::format("{}{}{}", of_packer, of_packer.empty() || of_loader.empty() ? "" : "; ", of_loader);
}

}  // namespace seqpoint::batching
