// torchtext.legacy.data.BucketIterator(train=True): a shuffled data set in pools of a hundred batches, each pool sorted
// (with sort_within_batch), cut and its batches shuffled (torchtext/legacy/data/iterator.py). Shuffling goes on from
// epoch to epoch with the state that Python's random had when the iterator was built.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks::legacy {
namespace {

constexpr std::uint64_t kBatchesPerPool = 100;
constexpr std::array<std::string_view, 3> kBatchSizeFunctions{"samples", "tokens", "padded-tokens"};
constexpr std::array<std::string_view, 2> kSortKeys{"interleaved", "src"};

/// torchtext.data.utils.interleave_keys: both lengths in 16 binary digits or more, interleaved, the first one's
/// leading; of a number with more digits than the other the last ones fall away.
std::uint64_t interleaved(std::uint32_t a, std::uint32_t b) {
  const auto digits_of = [](std::uint32_t n) { return std::max(16U, static_cast<unsigned>(std::bit_width(n))); };
  const unsigned digits = std::min(digits_of(a), digits_of(b));
  a >>= digits_of(a) - digits;
  b >>= digits_of(b) - digits;
  std::uint64_t key = 0;
  for (unsigned i = digits; i-- > 0;) key = key << 2U | ((a >> i) & 1U) << 1U | ((b >> i) & 1U);
  return key;
}

/// The running size of a batch under one of the batch_size_fn that scripts use.
class BatchSize {
 public:
  BatchSize(const lengths::Lengths& lengths, std::string_view function) : lengths_(lengths), function_(function) {}

  /// Adds the `count`-th example of a batch.
  std::uint64_t add(std::uint32_t row, std::uint64_t count) {
    if (count == 1) size_ = longest_ = 0;
    const std::uint64_t src = lengths_.src[row], tgt = lengths_.paired() ? lengths_.tgt[row] : 0;
    longest_ = std::max({longest_, src, tgt});
    if (function_ == "samples") size_ = count;
    if (function_ == "tokens") size_ += src + tgt;
    if (function_ == "padded-tokens") size_ = count * longest_;
    return size_;
  }

 private:
  const lengths::Lengths& lengths_;
  std::string_view function_;
  std::uint64_t size_ = 0, longest_ = 0;
};

class BucketIterator {
 public:
  BucketIterator(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : lengths_(lengths),
        batch_size_(policy.batch_size),
        size_(lengths, policy.options.one_of("batch-size-fn", kBatchSizeFunctions)),
        interleave_(lengths.paired() && policy.options.one_of("sort-key", kSortKeys) == "interleaved"),
        sort_(policy.options.has("sort-within-batch")),
        random_(python_seed(policy.seed.value_or(0))) {}

  /// Calls `take` with every batch of the next epoch.
  template <class Take>
  void run_epoch(Take take) {
    const Rows shuffled = random_.sample_all(file_order(lengths_.size()));
    for (Rows& pool : cut(shuffled, batch_size_ * kBatchesPerPool)) {
      if (sort_) std::stable_sort(pool.begin(), pool.end(), [&](auto a, auto b) { return key(a) < key(b); });
      for (Rows& batch : random_.sample_all(cut(pool, batch_size_))) {
        if (sort_) std::stable_sort(batch.begin(), batch.end(), [&](auto a, auto b) { return key(a) > key(b); });
        take(batch);
      }
    }
  }

 private:
  std::uint64_t key(std::uint32_t row) const {
    return interleave_ ? interleaved(lengths_.src[row], lengths_.tgt[row]) : lengths_.src[row];
  }

  /// torchtext.legacy.data.batch: up to `limit`; the example that goes beyond it begins the next batch.
  std::vector<Rows> cut(const Rows& rows, std::uint64_t limit) {
    std::vector<Rows> batches;
    Rows open;
    for (const std::uint32_t row : rows) {
      open.push_back(row);
      const std::uint64_t size = size_.add(row, open.size());
      if (size < limit) continue;
      if (size > limit && open.size() == 1) refuse(row);
      if (size > limit) open.pop_back();
      batches.push_back(std::exchange(open, {}));
      if (size == limit) continue;
      open.push_back(row);
      size_.add(row, 1);
    }
    if (!open.empty()) batches.push_back(std::move(open));
    return batches;
  }

  [[noreturn]] void refuse(std::uint32_t row) const {
    throw ParameterError(
        "batch_size",
        fmt::format("{}: sample {} alone is larger; torchtext makes an empty batch of that", batch_size_, row),
        "a larger `batch_size`, or `max_length`");
  }

  const lengths::Lengths& lengths_;
  std::uint64_t batch_size_;
  BatchSize size_;
  bool interleave_, sort_;
  rng::PythonRandom random_;
};

void run_torchtext(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.world_size > 1) throw ParameterError("world_size", ": torchtext's iterators know one process only");
  if (policy.drop_last) throw ParameterError("drop_last", ": torchtext's iterators keep the last batch");
  BucketIterator iterator(lengths, policy);
  MicroBatchBuilder builder(sink);
  for (std::uint64_t e = 0; e < policy.first_epoch; ++e) iterator.run_epoch([](const Rows&) {});
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    iterator.run_epoch([&](const Rows& batch) {
      builder.add_rank(batch);
      builder.send(e);
    });
}

std::string assumes_torchtext(const BatchPolicy&) {
  return "the order holds if nothing draws from Python's random between random.seed and building the iterator";
}

using Kind = OptionSpec::Kind;
constexpr std::array kTorchtextOptions{
    OptionSpec{"sort-within-batch", Kind::flag, "", "sort_within_batch=True: pools are sorted, too"},
    OptionSpec{"batch-size-fn", Kind::text, "samples",
               "what `batch_size` counts: samples, tokens (their sum) or padded-tokens"},
    OptionSpec{"sort-key", Kind::text, "interleaved", "of pairs: interleaved (interleave_keys) or src"},
};

}  // namespace

const Sampler kTorchtext{.name = "torchtext",
                         .summary = "torchtext's legacy BucketIterator",
                         .last_release = "of legacy iterators 0.11, of 2021",
                         .checked_against = "torchtext's own code",
                         .example = "`batch_size` 4000 `batch-size-fn` tokens",
                         .options = kTorchtextOptions,
                         .run = run_torchtext,
                         .assumes = assumes_torchtext};

}  // namespace seqpoint::batching::frameworks::legacy
