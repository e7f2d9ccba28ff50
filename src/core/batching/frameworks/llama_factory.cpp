// LLaMA-Factory with packing (src/llamafactory/data/processor): Dataset.map packs batches of rows, and the Trainer's
// loader orders what comes out. With packing cutoff_len is lowered by one (DataArguments).
//   sft  supervised.py, greedy_knapsack: sequence after sequence, always the longest row that still fits; rows that are
//        longer than a sequence are dropped. Sequences are padded to the cutoff_len that was given.
//   pt   pretrain.py: rows end to end, cut; the rest of a batch is dropped
#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/packs.hpp"
#include "core/batching/token_stream.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::array<std::string_view, 2> kStages{"sft", "pt"};

/// The last of rows that are equally long is taken first.
void add_knapsacks(Packs& packs, std::span<const std::uint32_t> lengths, RowRange rows, std::uint64_t capacity) {
  std::set<std::pair<std::uint64_t, std::uint32_t>> left;  // length, row
  for (std::size_t row = rows.begin; row < rows.end; ++row)
    if (lengths[row] <= capacity) left.emplace(lengths[row], row);
  while (!left.empty()) {
    const auto longest_within = [&left](std::uint64_t room) { return left.lower_bound({room + 1, 0}); };
    std::uint64_t room = capacity;
    for (auto next = longest_within(room); next != left.begin(); next = longest_within(room)) {
      const auto taken = std::prev(next);
      packs.add(whole(taken->second, lengths));
      room -= taken->first;
      left.erase(taken);
    }
    packs.close();
  }
}

std::uint64_t cutoff_length(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const std::uint64_t cutoff = sequence_length(lengths, policy, "cutoff-len");
  if (cutoff < 2) throw ParameterError("cutoff-len", "must be 2 or more: with packing it is lowered by one");
  return cutoff;
}

void run_llama_factory(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const std::uint64_t cutoff = cutoff_length(lengths, policy);
  const bool pretraining = policy.options.one_of("stage", kStages) == "pt";
  Packs packs;
  for (const RowRange rows :
       map_batches(lengths.size(), policy.options, "preprocessing-batch-size", "preprocessing-num-workers"))
    if (pretraining)
      add_concatenated(packs, lengths.src, rows, cutoff - 1, ShortRest::drop);
    else
      add_knapsacks(packs, lengths.src, rows, cutoff - 1);
  load(packs, pretraining ? 0 : static_cast<std::uint32_t>(cutoff), kTrainersLoader, policy, sink);
}

std::string assumes_llama_factory(const BatchPolicy& policy) {
  const bool pretraining = policy.options.one_of("stage", kStages) == "pt";
  return assumptions(pretraining ? "lengths are with the end-of-text token that it appends; the last tokens of every "
                                   "batch of rows, less than a sequence, are dropped"
                                 : "samples of `cutoff-len` tokens or more are dropped, as it drops them",
                     kTrainersLoader, policy);
}

using Kind = OptionSpec::Kind;
constexpr std::array kLlamaFactoryOptions{
    OptionSpec{"cutoff-len", Kind::count, "", "tokens of a packed sequence, and one"},
    loader_option(kTrainersLoader),
    map_batch_size_option("preprocessing-batch-size"),
    map_processes_option("preprocessing-num-workers"),
    OptionSpec{"stage", Kind::text, "sft", "sft (a greedy knapsack) or pt (end to end)"},
};

}  // namespace

const Sampler kLlamaFactory{
    .name = "llama-factory",
    .summary = "LLaMA-Factory's packing, greedy knapsack or end to end; a batch is `batch_size` packed sequences",
    .checked_against = "LLaMA-Factory's own code and vectors",
    .example = "`cutoff-len` 2048 `batch_size` 4 `seed` 42",
    .options = kLlamaFactoryOptions,
    .run = run_llama_factory,
    .assumes = assumes_llama_factory};

}  // namespace seqpoint::batching::frameworks
