// FunASR's CustomDistributedBufferDynamicBatchSampler (funasr/datasets/audio_datasets/samplers.py), which training has
// with sort_size above 0: buffers of a random order, each sorted and cut by padded length; batches are dealt in turn.
// The order depends on the epoch alone.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/batching/token_stream.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/rng/rng.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::uint64_t kSortSize = 1024, kMaxTokenLength = 2048, kMostSamples = 200;

class BufferedBatches {
 public:
  BufferedBatches(const std::vector<std::uint32_t>& lengths, const BatchPolicy& policy)
      : lengths_(lengths),
        padded_(policy.batch_size),
        longest_(policy.options.count_or("max-token-length", kMaxTokenLength)),
        most_(policy.options.count_or("batch-size-sample-max", kMostSamples)) {}

  std::vector<std::vector<std::uint32_t>> take() { return std::exchange(batches_, {}); }

  /// A buffer's first batch has one sample less than the others may have: the original counts from 1 there.
  void add_buffer(std::span<std::uint32_t> buffer) {
    std::stable_sort(buffer.begin(), buffer.end(), [&](auto a, auto b) { return lengths_[a] < lengths_[b]; });
    std::vector<std::uint32_t> batch;
    std::uint64_t count = 1;
    for (const std::uint32_t row : buffer) {
      const std::uint64_t length = lengths_[row];  // the longest so far
      if (length > longest_) break;
      if (length * (batch.size() + 1) <= padded_ && count < most_) {
        ++count;
      } else {
        if (batch.empty()) refuse(row);
        batches_.push_back(std::exchange(batch, {}));
        count = 1;
      }
      batch.push_back(row);
    }
    if (!batch.empty()) batches_.push_back(std::move(batch));
  }

 private:
  [[noreturn]] void refuse(std::uint32_t row) const {
    throw UsageError(fmt::format("--batch-size {}: row {} of {} does not fit; here the original makes an empty batch",
                                 padded_, row, lengths_[row]),
                     "a --batch-size of at least --max-token-length, and a --batch-size-sample-max of 2 or more");
  }

  const std::vector<std::uint32_t>& lengths_;
  std::uint64_t padded_, longest_, most_;
  std::vector<std::vector<std::uint32_t>> batches_;
};

/// Missing batches of the last round are drawn from all of them, as random.choices does.
void fill_last_round(std::vector<std::vector<std::uint32_t>>& batches, std::uint64_t ranks, std::uint64_t epoch) {
  const std::size_t there = batches.size(), missing = (ranks - there % ranks) % ranks;
  rng::PythonRandom random(epoch);
  for (std::size_t i = 0; i < missing; ++i)
    batches.push_back(batches[static_cast<std::size_t>(random.real() * static_cast<double>(there))]);
}

void run_funasr(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  require_one_side(lengths, policy);
  const bool shuffles = !policy.options.has("no-shuffle");
  if (!shuffles && policy.world_size > 1)
    throw UsageError("--no-shuffle: several ranks fill up by draws that nothing seeds", "leave one of them out");
  const std::size_t buffer = policy.options.count_or("sort-size", kSortSize) * policy.world_size;
  if (buffer == 0) throw UsageError("--sort-size must be 1 or more");
  BufferedBatches buffered(lengths.src, policy);
  MicroBatchBuilder builder(sink);
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e) {
    std::vector<std::uint32_t> order = file_order(lengths.size());
    if (shuffles) order = rng::TorchGenerator(e).permutation(static_cast<std::uint32_t>(order.size()));
    for (std::size_t begin = 0; begin < order.size(); begin += buffer)
      buffered.add_buffer(std::span(order).subspan(begin, std::min(buffer, order.size() - begin)));
    std::vector<std::vector<std::uint32_t>> batches = buffered.take();
    if (batches.empty()) continue;
    fill_last_round(batches, policy.world_size, e);
    for (std::size_t b = 0; b < batches.size(); ++b) {
      builder.add_rank(batches[b]);
      if ((b + 1) % policy.world_size == 0) builder.send(e);
    }
  }
}

std::string assumes_funasr(const BatchPolicy& policy) {
  return fmt::format("samples longer than --max-token-length {} are left out, as it does without a word",
                     policy.options.count_or("max-token-length", kMaxTokenLength));
}

using Kind = OptionSpec::Kind;
constexpr std::array kFunAsrOptions{
    OptionSpec{"batch-size-sample-max", Kind::count, "200", "samples of a batch, at most"},
    OptionSpec{"max-token-length", Kind::count, "2048", "longer samples are left out"},
    OptionSpec{"no-shuffle", Kind::flag, "", "shuffle: false"},
    OptionSpec{"sort-size", Kind::count, "1024", "samples a rank of a buffer that is sorted"},
};

}  // namespace

const Sampler kFunAsr{.name = "funasr",
                      .summary = "FunASR's dynamic batches with sort_size; --batch-size is in padded tokens or frames",
                      .checked_against = "FunASR's own code and vectors",
                      .example = "--batch-size 6000 --sort-size 500",
                      .options = kFunAsrOptions,
                      .run = run_funasr,
                      .assumes = assumes_funasr,
                      .takes_seed = false};

}  // namespace seqpoint::batching::frameworks
