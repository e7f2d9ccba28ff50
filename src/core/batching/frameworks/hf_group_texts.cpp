// transformers' run_clm.py: group_texts concatenates the rows of every batch of Dataset.map and cuts them into blocks,
// without the rest; the Trainer's loader orders the blocks.
#include <array>

#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/packs.hpp"
#include "core/batching/token_stream.hpp"

namespace seqpoint::batching::frameworks {
namespace {

void run_group_texts(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const std::uint64_t block = sequence_length(lengths, policy, "block-size");
  Packs packs;
  for (const RowRange rows : map_batches(lengths.size(), policy.options, "map-batch-size", "preprocessing-num-workers"))
    add_concatenated(packs, lengths.src, rows, block, ShortRest::drop);
  load(packs, 0, kTrainersLoader, policy, sink);
}

std::string assumes_group_texts(const BatchPolicy& policy) {
  return assumptions("the last tokens of every batch of rows, less than a block, are dropped", kTrainersLoader, policy);
}

using Kind = OptionSpec::Kind;
constexpr std::array kGroupTextsOptions{
    OptionSpec{"block-size", Kind::count, "", "tokens of every sequence"},
    loader_option(kTrainersLoader),
    map_batch_size_option("map-batch-size"),
    map_processes_option("preprocessing-num-workers"),
};

}  // namespace

const Sampler kHfGroupTexts{
    .name = "hf-group-texts",
    .summary = "run_clm's group_texts: batches of rows end to end, cut into blocks; a batch is `batch_size` of them",
    .checked_against = "transformers' own code and vectors",
    .example = "`block-size` 1024 `batch_size` 8 `seed` 42",
    .options = kGroupTextsOptions,
    .run = run_group_texts,
    .assumes = assumes_group_texts};

}  // namespace seqpoint::batching::frameworks
