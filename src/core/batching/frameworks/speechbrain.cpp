// SpeechBrain's DynamicBatchSampler (speechbrain/dataio/sampler.py) on one rank: samples go into buckets of similar
// length, whose bounds are quantiles of a log-normal distribution; full buckets are batches, which are then ordered.
// set_epoch begins everything anew; without it every pass over the sampler permutes once more.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/distributions.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::array<std::string_view, 3> kBatchOrders{"random", "ascending", "descending"};

/// scipy.stats.lognorm.ppf(numpy.linspace(1 / (q + 1), q / (q + 1), q), 1), scaled so that the last is `longest`.
std::vector<double> bucket_bounds(std::uint64_t q, double longest) {
  const auto n = static_cast<double>(q);
  const double first = 1 / (n + 1), last = n / (n + 1), step = q == 1 ? 0 : (last - first) / (n - 1);
  std::vector<double> bounds;
  for (std::uint64_t i = 0; i < q; ++i)
    bounds.push_back(std::exp(normal_quantile(q > 1 && i + 1 == q ? last : static_cast<double>(i) * step + first)));
  const double scale = bounds.back();
  for (double& bound : bounds) bound = bound * longest / scale;
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

std::vector<double> given_bounds(const OptionValues& options) {
  std::vector<double> bounds = options.numbers("bucket-boundaries");
  const bool ascend = std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) == bounds.end();
  if (!ascend || bounds.front() == 0)
    throw ParameterError("bucket-boundaries", "must be above 0 and ascend; here the original stops with an error",
                         "for example 4.5,8,16");
  return bounds;
}

/// Samples of a batch as long as the bound, at least 1; SpeechBrain calls it a bucket's length.
std::uint64_t samples_of(double longest, double bound, std::uint64_t most) {
  constexpr double kMany = 0xFFFFFFFFU;
  return std::min(most, static_cast<std::uint64_t>(std::clamp(longest / bound, 1.0, kMany)));
}

class DynamicBatches {
 public:
  DynamicBatches(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : policy_(policy), order_(policy.options.one_of("batch-ordering", kBatchOrders)) {
    if (lengths.seconds.empty())
      lengths_.assign(lengths.src.begin(), lengths.src.end());
    else
      lengths_ = lengths.seconds;
    const double longest = policy.options.number("max-batch-length").value_or(0);
    const std::uint64_t buckets = policy.options.count_or("num-buckets", 0);
    const bool given = policy.options.has("bucket-boundaries");
    if (!(longest > 0) || (buckets == 0 && !given))
      throw ParameterError("sampler", "speechbrain needs the padded length of a batch, and buckets",
                           "`max-batch-length` X `num-buckets` N, or `bucket-boundaries`");
    if (given && buckets != 0)
      throw ParameterError("num-buckets", "and `bucket-boundaries` exclude each other",
                           "only `bucket-boundaries`, which SpeechBrain takes where it has both");
    bounds_ = given ? given_bounds(policy.options) : bucket_bounds(buckets, longest);
    const std::uint64_t most = policy.options.count_or("max-batch-ex", 0xFFFFFFFFU);
    for (const double bound : bounds_) sizes_.push_back(samples_of(longest, bound, most));
    sizes_.push_back(1);  // of samples beyond the last bound
  }

  /// Sends the batches after set_epoch(epoch), or, where they are iterated again without it, those of that pass.
  void send(std::uint64_t e, bool resets, const MicroBatchSink& sink) const {
    const std::uint64_t seed = policy_.seed.value_or(0) + (resets ? e : 0), pass = resets ? 0 : e;
    const bool shuffles = !policy_.options.has("no-shuffle");
    const auto samples = static_cast<std::uint32_t>(lengths_.size());
    const Batches batches = fill(shuffles ? rng::TorchGenerator(seed).permutation(samples) : file_order(samples));
    Rows order = file_order(batches.size());
    if (order_ != "random") sort_by_longest(order, batches);
    // Every pass ends with a permutation more; with shuffle the batches are made anew before it, which permutes once.
    const std::uint64_t permutations = 1 + (shuffles ? std::min<std::uint64_t>(pass, 1) : pass);
    for (std::uint64_t i = 0; order_ == "random" && i < permutations; ++i) {
      Rows permuted = rng::TorchGenerator(seed).permutation(static_cast<std::uint32_t>(order.size()));
      for (std::uint32_t& place : permuted) place = order[place];
      order = std::move(permuted);
    }
    deal_batches(batches, order, policy_, e, IncompleteRound::keep, sink);
  }

 private:
  Batches fill(const Rows& order) const {
    Batches batches;
    std::vector<Rows> buckets(sizes_.size());
    for (const std::uint32_t row : order) {
      const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), lengths_[row]);
      const auto bucket = static_cast<std::size_t>(bound - bounds_.begin());
      buckets[bucket].push_back(row);
      if (buckets[bucket].size() < sizes_[bucket]) continue;
      batches.add_group(buckets[bucket]);
      buckets[bucket].clear();
    }
    for (const Rows& bucket : buckets)
      if (!policy_.drop_last) batches.add_group(bucket);
    return batches;
  }

  /// Stable both ways.
  void sort_by_longest(Rows& order, const Batches& batches) const {
    const auto longest = [&](std::uint32_t batch) {
      double most = 0;
      for (const std::uint32_t row : batches[batch]) most = std::max(most, lengths_[row]);
      return order_ == "ascending" ? most : -most;
    };
    std::ranges::stable_sort(order, {}, longest);
  }

  const BatchPolicy& policy_;
  std::string_view order_;
  std::vector<double> lengths_, bounds_;
  std::vector<std::uint64_t> sizes_;  ///< of a batch, one per bucket
};

void run_speechbrain(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.world_size > 1)
    throw ParameterError("sampler", "speechbrain is one rank; the order over several was not checked",
                         "`world_size` 1");
  const DynamicBatches batches(lengths, policy);
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    batches.send(e, !policy.options.has("no-set-epoch"), sink);
}

std::string assumes_speechbrain(const BatchPolicy& policy) {
  if (policy.options.has("no-set-epoch")) return {};
  return "`first_epoch` is the number that set_epoch is given before every epoch; if it is not called, pass "
         "`no-set-epoch`";
}

using Kind = OptionSpec::Kind;
constexpr std::array kSpeechBrainOptions{
    OptionSpec{"batch-ordering", Kind::text, "random", "random, ascending or descending"},
    OptionSpec{"bucket-boundaries", Kind::text, "",
               "upper bounds of the buckets, in the unit of `max-batch-length` (4.5,8,16)"},
    OptionSpec{"max-batch-ex", Kind::count, "", "samples of a batch, at most"},
    OptionSpec{"max-batch-length", Kind::number, "",
               "padded length of a batch: in seconds where the manifest has them, else as its lengths are"},
    OptionSpec{"no-set-epoch", Kind::flag, "", "set_epoch is never called"},
    OptionSpec{"no-shuffle", Kind::flag, "", "shuffle: False"},
    OptionSpec{"num-buckets", Kind::count, "", "buckets, by length, where no bounds are given"},
};

}  // namespace

const Sampler kSpeechBrain{.name = "speechbrain",
                           .summary = "SpeechBrain's DynamicBatchSampler, on one rank",
                           .checked_against = "SpeechBrain's own code (2026-04) and vectors",
                           .example = "`max-batch-length` 3000 `num-buckets` 10",
                           .options = kSpeechBrainOptions,
                           .run = run_speechbrain,
                           .assumes = assumes_speechbrain,
                           .needs_batch_size = false,
                           .uses_seconds = true};

}  // namespace seqpoint::batching::frameworks
