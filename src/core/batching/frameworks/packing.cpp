// Samples concatenated in file order and cut into sequences of --seq-length tokens, as language models are trained.
// Every iteration has that length; the sequences are distributed to the ranks as PyTorch distributes samples.
#include <fmt/core.h>

#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/token_stream.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

/// Sampler::run. The last sequence of the data set may be incomplete; drop_last leaves it out. Throws ParameterError
/// for paired data, and for no sequence or more than 4294967295.
void run_packing(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const std::uint64_t length = sequence_length(lengths, policy);
  TokenStream stream(lengths);
  stream.append(file_order(lengths.size()), length);
  const std::uint64_t sequences = (stream.tokens() + (policy.drop_last ? 0 : length - 1)) / length;
  if (sequences == 0)
    throw ParameterError("seq-length",
                         fmt::format("{}: the samples hold {} tokens, less than one sequence", length, stream.tokens()),
                         "a smaller `seq-length`, or no `drop_last`");
  if (sequences > 0xFFFFFFFFU)
    throw ParameterError("seq-length", "cuts more than 4294967295 sequences", "a larger one");
  SequencesToRows to_rows(stream, {length, 0}, sink);
  const std::vector<std::uint32_t> order = file_order(sequences);
  for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e)
    distribute(order, policy, e, [&](const MicroBatch& micro_batch) { to_rows(micro_batch); });
}

constexpr std::array kPackingOptions{
    OptionSpec{"seq-length", OptionSpec::Kind::count, "",
               "tokens of every sequence; `drop_last` drops an incomplete one too"},
};

}  // namespace

const Sampler kPacking{
    .name = "packing",
    .summary = "samples end to end, cut into sequences of one length; a batch is `batch_size` of them",
    .checked_against = "closed form",
    .example = "`seq-length` 2048 `batch_size` 4",
    .options = kPackingOptions,
    .run = run_packing,
    .assumes = no_assumption,
    .takes_seed = false,
    .resuming = kNoFramework};

}  // namespace seqpoint::batching::frameworks
