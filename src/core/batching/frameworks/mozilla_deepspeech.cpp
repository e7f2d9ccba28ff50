// Mozilla DeepSpeech and Coqui STT (training/*/util/feeding.py, sample_collections.py): by file size, batches in that
// order, an incomplete one dropped in training, the same in every epoch. The towers of one process (a GPU each) take
// consecutive batches and stop together; under Horovod every process takes each W-th sample.
#include <algorithm>
#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"

namespace seqpoint::batching::frameworks {
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

/// What rank r reads at `micro_batch`: the batch behind that of rank r - 1, or the next of its own shard.
class RankReader {
 public:
  RankReader(std::vector<std::uint32_t> order, const BatchPolicy& policy)
      : order_(std::move(order)),
        size_(policy.batch_size),
        ranks_(policy.world_size),
        sharded_(policy.options.has("horovod")) {}

  std::size_t micro_batches() const { return order_.size() / ranks_ / size_; }

  std::uint32_t row(std::size_t micro_batch, std::size_t rank, std::size_t k) const {
    return order_[sharded_ ? (micro_batch * size_ + k) * ranks_ + rank : (micro_batch * ranks_ + rank) * size_ + k];
  }

 private:
  std::vector<std::uint32_t> order_;
  std::size_t size_, ranks_;
  bool sharded_;
};

void run_mozilla(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const RankReader reader(order_of(lengths, policy), policy);
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> ends(policy.world_size);
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    for (std::size_t micro_batch = 0; micro_batch < reader.micro_batches(); ++micro_batch) {
      rows.clear();
      for (std::size_t r = 0; r < ends.size(); ++r) {
        for (std::size_t k = 0; k < policy.batch_size; ++k) rows.push_back(reader.row(micro_batch, r, k));
        ends[r] = rows.size();
      }
      sink({.epoch = e, .rows = rows, .rank_ends = ends});
    }
}

using Kind = OptionSpec::Kind;
constexpr std::array kMozillaDeepspeechOptions{
    OptionSpec{"horovod", Kind::flag, "", "`world_size` counts Horovod processes, not the towers of one process"},
    OptionSpec{"reverse-train", Kind::flag, "", "longest first"},
};

}  // namespace

const Sampler kMozillaDeepSpeech{.name = "mozilla-deepspeech",
                                 .summary = "by file size, the same in every epoch; also Coqui STT",
                                 .checked_against = "closed form, from the source of both",
                                 .example = "`batch_size` 16",
                                 .options = kMozillaDeepspeechOptions,
                                 .run = run_mozilla,
                                 .assumes = no_assumption,
                                 .takes_seed = false,
                                 .uses_seconds = true,
                                 .resuming = {.about = "training begins with a whole epoch anew"}};

}  // namespace seqpoint::batching::frameworks
