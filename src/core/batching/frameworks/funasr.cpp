// FunASR's batch samplers (funasr/datasets/audio_datasets/samplers.py), of which training takes by batch_type and
// sort_size:
//   example                   CustomDistributedBatchSampler: an order dealt to the ranks, then cut by samples
//   others, sort_size above 0  CustomDistributedBufferDynamicBatchSampler: buffers of an order, each sorted and cut by
//                             padded length; batches are dealt in turn
//   others                    CustomDistributedDynamicBatchSampler: an order dealt to the ranks, then cut by padded
//                             length
// The order depends on the epoch alone.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/token_stream.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::uint64_t kSortSize = 1024, kMaxTokenLength = 2048, kMostSamples = 200;
constexpr std::array<std::string_view, 3> kBatchTypes{"token", "length", "example"};

[[noreturn]] void refuse_empty_batch(std::uint64_t padded, std::uint32_t row, std::uint64_t length) {
  throw ParameterError(
      "batch_size",
      fmt::format("{}: row {} of {} does not fit; here the original makes an empty batch", padded, row, length),
      "a `batch_size` of at least `max-token-length`, and a `batch-size-sample-max` of 2 or more");
}

class BufferedBatches {
 public:
  BufferedBatches(const std::vector<std::uint32_t>& lengths, const BatchPolicy& policy)
      : lengths_(lengths),
        padded_(policy.batch_size),
        longest_(policy.options.count_or("max-token-length", kMaxTokenLength)),
        most_(policy.options.count_or("batch-size-sample-max", kMostSamples)) {}

  const Batches& batches() const { return batches_; }

  /// A buffer's first batch has one sample less than the others may have: the original counts from 1 there.
  void add_buffer(std::span<std::uint32_t> buffer) {
    std::stable_sort(buffer.begin(), buffer.end(), [&](auto a, auto b) { return lengths_[a] < lengths_[b]; });
    std::uint64_t count = 1;
    for (const std::uint32_t row : buffer) {
      const std::uint64_t length = lengths_[row];  // the longest so far
      if (length > longest_) break;
      if (length * (batches_.open_size() + 1) <= padded_ && count < most_) {
        ++count;
      } else {
        if (batches_.open_size() == 0) refuse_empty_batch(padded_, row, length);
        batches_.close();
        count = 1;
      }
      batches_.add(row);
    }
    batches_.close();
  }

 private:
  const std::vector<std::uint32_t>& lengths_;
  std::uint64_t padded_, longest_, most_;
  Batches batches_;
};

/// Missing batches of the last round are drawn from all of them, as random.choices does.
Rows filled_order(std::size_t batches, std::uint64_t ranks, std::uint64_t epoch) {
  Rows order = file_order(batches);
  rng::PythonRandom random(epoch);
  while (order.size() % ranks != 0)
    order.push_back(static_cast<std::uint32_t>(random.real() * static_cast<double>(batches)));
  return order;
}

bool is_example(const BatchPolicy& policy) { return policy.options.one_of("batch-type", kBatchTypes) == "example"; }

Rows sampled_order(std::size_t samples, const BatchPolicy& policy, std::uint64_t epoch) {
  if (policy.options.has("no-shuffle")) return file_order(samples);
  return rng::TorchGenerator(epoch).permutation(static_cast<std::uint32_t>(samples));
}

void run_buffered(const lengths::Lengths& lengths, const BatchPolicy& policy, std::uint64_t epoch,
                  const MicroBatchSink& sink) {
  const std::size_t size = policy.options.count_or("sort-size", kSortSize) * policy.world_size;
  Rows order = sampled_order(lengths.size(), policy, epoch);
  BufferedBatches buffered(lengths.src, policy);
  for (std::size_t begin = 0; begin < order.size(); begin += size)
    buffered.add_buffer(std::span(order).subspan(begin, std::min(size, order.size() - begin)));
  const Batches& batches = buffered.batches();
  deal_batches(batches, filled_order(batches.size(), policy.world_size, epoch), policy, epoch, IncompleteRound::keep,
               sink);
}

/// The order continued with itself to a multiple of what all ranks take at once. With drop_last the original continues
/// it all the same, and finds that it is too long.
void fill_up(Rows& order, const BatchPolicy& policy) {
  const std::size_t round = policy.batch_size * policy.world_size, samples = order.size();
  if (samples % round == 0) return;
  if (policy.drop_last)
    throw ParameterError("drop_last",
                         fmt::format(": {} samples are no multiple of {}, the batches of all ranks; here the "
                                     "original stops with an AssertionError",
                                     samples, round),
                         "leave it out");
  const std::size_t filled = (samples + round - 1) / round * round;
  for (std::size_t i = samples; i < filled; ++i) order.push_back(order[i % samples]);
}

Batches batches_by_samples(const Rows& order, const lengths::Lengths& lengths, const BatchPolicy& policy) {
  Rows rows = order;
  if (const auto longest = policy.options.count("max-token-length"))
    std::erase_if(rows, [&](std::uint32_t row) { return lengths.src[row] > *longest; });
  return cut_every(policy.batch_size, rows, policy.drop_last);
}

/// The last batch goes with drop_last, unless it is exactly as long as it may be.
Batches batches_by_length(const Rows& rows, const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const std::uint64_t most = policy.options.count_or("max-token-length", kMaxTokenLength);
  Batches batches;
  std::uint64_t longest = 0;
  for (const std::uint32_t row : rows) {
    const std::uint64_t length = lengths.src[row];
    if (length > most) continue;
    if (std::max(longest, length) * (batches.open_size() + 1) > policy.batch_size) {
      if (batches.open_size() == 0) refuse_empty_batch(policy.batch_size, row, length);
      batches.close();
      longest = 0;
    }
    batches.add(row);
    longest = std::max(longest, length);
  }
  if (!policy.drop_last || batches.open_size() * longest == policy.batch_size) batches.close();
  return batches;
}

/// The ranks' own batches. Nothing makes them as many on every rank; one that has none left has an empty one.
void run_by_rank(const lengths::Lengths& lengths, const BatchPolicy& policy, std::uint64_t epoch,
                 const MicroBatchSink& sink) {
  Rows order = sampled_order(lengths.size(), policy, epoch);
  if (is_example(policy)) fill_up(order, policy);
  const auto cut = is_example(policy) ? batches_by_samples : batches_by_length;
  std::vector<Batches> ranks;
  for (std::size_t r = 0; r < policy.world_size; ++r)
    ranks.push_back(cut(every_nth(order, r, policy.world_size), lengths, policy));
  send_side_by_side(ranks, epoch, IncompleteRound::keep, sink);
}

void run_funasr(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  require_one_side(lengths, policy);
  const bool buffers = !is_example(policy) && policy.options.count_or("sort-size", kSortSize) > 0;
  if (buffers && policy.options.has("no-shuffle") && policy.world_size > 1)
    throw ParameterError("no-shuffle", ": several ranks fill up by draws that nothing seeds", "leave one of them out");
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    (buffers ? run_buffered : run_by_rank)(lengths, policy, e, sink);
}

std::string assumes_funasr(const BatchPolicy& policy) {
  std::string text;
  const auto longest = policy.options.count("max-token-length");
  if (longest || !is_example(policy))
    text = fmt::format("samples longer than `max-token-length` {} are left out, as it does without a word",
                       longest.value_or(kMaxTokenLength));
  if (policy.world_size > 1 && (is_example(policy) ? longest.has_value() : policy.options.count("sort-size") == 0U))
    text += "; ranks may have different numbers of batches, which it does not make equal";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kFunAsrOptions{
    OptionSpec{"batch-size-sample-max", Kind::count, "200", "with `sort-size`: samples of a batch, at most"},
    OptionSpec{"batch-type", Kind::text, "token", "token or length: `batch_size` is padded; example: in samples"},
    OptionSpec{"max-token-length", Kind::count, "", "longer samples are left out [2048; example: none]"},
    OptionSpec{"no-shuffle", Kind::flag, "", "shuffle: false"},
    OptionSpec{"sort-size", Kind::count, "1024",
               "samples a rank of a buffer that is sorted; 0: none is, as without it"},
};

}  // namespace

const Sampler kFunAsr{.name = "funasr",
                      .summary = "FunASR's batch samplers; `batch_size` is in padded tokens or frames, or in samples",
                      .checked_against = "FunASR's own code (1.4.3) and vectors",
                      .example = "`batch_size` 6000 `sort-size` 500",
                      .options = kFunAsrOptions,
                      .run = run_funasr,
                      .assumes = assumes_funasr,
                      .takes_seed = false};

}  // namespace seqpoint::batching::frameworks
