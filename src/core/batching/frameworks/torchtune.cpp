// torchtune's PackedDataset (torchtune/datasets/_packed.py): samples in order, next fit, or end to end with
// split_across_pack; every sequence is padded to max_seq_len. The recipes order sequences by a DistributedSampler.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/packs.hpp"
#include "core/batching/token_stream.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::string_view kRecipesLoader = "pytorch-distributed";
constexpr std::uint64_t kAllPacks = ~std::uint64_t{0};

/// Samples are read until --max-packs sequences are full, and what the one read last was to begin is left out.
void add_whole_samples(Packs& packs, std::span<const std::uint32_t> lengths, std::uint64_t length, std::size_t most) {
  std::vector<Piece> pieces;
  std::uint64_t held = 0;
  for (std::uint32_t row = 0, full = 0; row < lengths.size() && (row == 0 || full < most); ++row) {
    if (lengths[row] > length)
      throw ParameterError(
          "max-seq-len",
          fmt::format("{}: row {} has {} tokens; here the original stops with a ValueError", length, row, lengths[row]),
          "`split-across-pack`, a longer `max-seq-len`, or `max_length` to leave out longer rows");
    pieces.push_back(whole(row, lengths));
    held += lengths[row];
    if (held <= length) continue;
    ++full;
    held = lengths[row];
  }
  add_next_fit(packs, pieces, length);
  packs.keep(most);
}

void run_torchtune(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const std::uint64_t length = sequence_length(lengths, policy, "max-seq-len");
  const std::size_t most = policy.options.count_or("max-packs", kAllPacks);
  Packs packs;
  if (policy.options.has("split-across-pack")) {
    add_concatenated(packs, lengths.src, {0, lengths.size()}, length, ShortRest::keep);
    packs.keep(most);
  } else {
    add_whole_samples(packs, lengths.src, length, most);
  }
  load(packs, static_cast<std::uint32_t>(length), kRecipesLoader, policy, sink);
}

std::string assumes_torchtune(const BatchPolicy& policy) { return assumptions("", kRecipesLoader, policy); }

using Kind = OptionSpec::Kind;
constexpr std::array kTorchtuneOptions{
    loader_option(kRecipesLoader),
    OptionSpec{"max-packs", Kind::count, "", "packed sequences, at most; the rest of the data set is left out"},
    OptionSpec{"max-seq-len", Kind::count, "", "tokens of a packed sequence, to which it is padded"},
    OptionSpec{"split-across-pack", Kind::flag, "", "a sample goes on in the next sequence"},
};

}  // namespace

const Sampler kTorchtune{
    .name = "torchtune",
    .summary = "torchtune's PackedDataset, samples in order; a batch is `batch_size` packed sequences",
    .checked_against = "torchtune's own code (2026-04) and vectors",
    .example = "`max-seq-len` 4096 `batch_size` 2 `seed` 0",
    .options = kTorchtuneOptions,
    .run = run_torchtune,
    .assumes = assumes_torchtune};

}  // namespace seqpoint::batching::frameworks
