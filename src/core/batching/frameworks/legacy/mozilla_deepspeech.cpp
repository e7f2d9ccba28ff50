// Mozilla DeepSpeech and Coqui STT (training/*/util/feeding.py, sample_collections.py): by file size, batches in that
// order, an incomplete one dropped in training, the same in every epoch. The towers of one process (a GPU each) take
// consecutive batches and stop together; under Horovod every process takes each W-th sample.
#include <algorithm>
#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"

namespace seqpoint::batching::frameworks::legacy {
namespace {

/// Stable, and so is the reversed order. A duration orders the samples as the size of their PCM does; frames, which
/// round, would tie what differs.
template <class Size>
std::vector<std::uint32_t> by_size(const std::vector<Size>& sizes, bool reverse) {
  std::vector<std::uint32_t> order = file_order(sizes.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return reverse ? sizes[b] < sizes[a] : sizes[a] < sizes[b]; });
  return order;
}

std::vector<std::uint32_t> order_of(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const bool reverse = policy.options.has("reverse-train");
  return lengths.seconds.size() == lengths.size() ? by_size(lengths.seconds, reverse) : by_size(lengths.src, reverse);
}

void run_mozilla(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const Rows order = order_of(lengths, policy);
  BatchPolicy dropping = policy;
  dropping.drop_last = true;
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    if (policy.options.has("horovod"))
      distribute(order, dropping, e, sink);
    else
      distribute_batches(order, policy, e, IncompleteRound::drop, sink);
}

using Kind = OptionSpec::Kind;
constexpr std::array kMozillaDeepspeechOptions{
    OptionSpec{"horovod", Kind::flag, "", "`world_size` counts Horovod processes, not the towers of one process"},
    OptionSpec{"reverse-train", Kind::flag, "", "longest first"},
};

}  // namespace

const Sampler kMozillaDeepSpeech{.name = "mozilla-deepspeech",
                                 .summary = "by file size, the same in every epoch; also Coqui STT",
                                 .last_release = "0.9.3, of 2020; Coqui STT 1.4.0, of 2022",
                                 .checked_against = "closed form, from the source of both",
                                 .example = "`batch_size` 16",
                                 .options = kMozillaDeepspeechOptions,
                                 .run = run_mozilla,
                                 .assumes = no_assumption,
                                 .takes_seed = false,
                                 .uses_seconds = true,
                                 .resuming = {.about = "training begins with a whole epoch anew"}};

}  // namespace seqpoint::batching::frameworks::legacy
