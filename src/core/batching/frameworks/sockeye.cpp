// Sockeye 3 (sockeye/data_io.py): sentence pairs in buckets by the lengths of both sides, padded to the bounds of the
// bucket. A bucket is filled up with copies of its own to whole batches (RandomState(42), or the shard's number for
// prepared data); every epoch NumPy permutes each bucket and Python shuffles the list of batches. Of data prepared in
// one shard every rank loads its slice of each bucket, and all take their batches from the same bucket.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/frameworks/sockeye_buckets.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/rng/rng.hpp"
#include "core/rounding.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

using sockeye::Bucket;

constexpr std::uint32_t kSeedOfFilling = 42, kSeedOfFirstShard = 0;

/// ParallelDataSet.load: rank's slice of a bucket, each sentence repeated where there are fewer than ranks.
Rows slice(const Rows& rows, std::size_t rank, std::size_t ranks) {
  if (rows.empty() || ranks == 1) return rows;
  const std::size_t copies = (ranks + rows.size() - 1) / rows.size();
  const auto total = static_cast<double>(rows.size() * copies);
  const auto bound = [&](std::size_t r) {
    return static_cast<std::size_t>(std::floor(static_cast<double>(r) / static_cast<double>(ranks) * total));
  };
  Rows mine;
  for (std::size_t k = bound(rank); k < bound(rank + 1); ++k) mine.push_back(rows[k / copies]);
  return mine;
}

/// Where a batch begins.
struct BatchPlace {
  std::size_t bucket, begin;
};

class BatchIterator {
 public:
  BatchIterator(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : buckets_(sockeye::make_buckets(lengths, policy)),
        numpy_(numpy_seed(policy.seed.value_or(0))),
        python_(python_seed(policy.seed.value_or(0))) {
    const bool prepared = policy.options.has("prepared-data");
    for (std::size_t r = 0; r < policy.world_size; ++r) {
      samples_.emplace_back();
      for (const Bucket& bucket : buckets_) samples_[r].push_back(slice(bucket.rows, r, policy.world_size));
    }
    fill_up(prepared ? kSeedOfFirstShard : kSeedOfFilling);
    list_batches();
    if (prepared) shuffle();  // the sharded iterator shuffles again what the shard's iterator has shuffled
  }

  /// ParallelSampleIter.reset.
  void shuffle() {
    python_.shuffle(std::span(places_));
    orders_.clear();
    for (const Rows& rows : samples_.front())
      orders_.push_back(numpy_.permutation(static_cast<std::uint32_t>(rows.size())));
  }

  void run_epoch(std::uint64_t epoch, const lengths::Lengths& lengths, const MicroBatchSink& sink) const {
    MicroBatchBuilder micro_batch(sink);
    for (const BatchPlace& place : places_) {
      const auto& bound = buckets_[place.bucket].bound;
      for (const auto& of_rank : samples_) {
        const Rows rows = batch_at(of_rank[place.bucket], place);
        BatchShape shape = shape_of(rows, lengths);
        shape.src_len = bound.src;
        if (lengths.paired()) shape.tgt_len = bound.tgt;
        micro_batch.add_rank(rows, shape);
      }
      micro_batch.send(epoch);
    }
  }

 private:
  /// RandomState.randint(n): all ranks fill up to the same number, each with the same draws.
  void fill_up(std::uint32_t seed) {
    std::vector<rng::NumpyRandom> random(samples_.size(), rng::NumpyRandom(seed));
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      std::size_t wanted = 0;
      for (const auto& of_rank : samples_)
        wanted = std::max(wanted, rounded_up(of_rank[b].size(), buckets_[b].batch_size));
      for (std::size_t r = 0; r < samples_.size(); ++r) {
        Rows& rows = samples_[r][b];
        const std::size_t own = rows.size();
        while (rows.size() < wanted) rows.push_back(rows[random[r].interval(own - 1)]);
      }
    }
  }

  void list_batches() {
    for (std::size_t b = 0; b < buckets_.size(); ++b)
      for (std::size_t begin = 0; begin < samples_.front()[b].size(); begin += buckets_[b].batch_size)
        places_.push_back({b, begin});
  }

  Rows batch_at(const Rows& rows, const BatchPlace& place) const {
    const Rows& order = orders_[place.bucket];
    Rows batch;
    for (std::size_t k = 0; k < buckets_[place.bucket].batch_size; ++k) batch.push_back(rows[order[place.begin + k]]);
    return batch;
  }

  std::vector<Bucket> buckets_;
  rng::NumpyRandom numpy_;
  rng::PythonRandom python_;
  std::vector<std::vector<Rows>> samples_;  ///< by rank and bucket, filled up
  std::vector<BatchPlace> places_;
  std::vector<Rows> orders_;  ///< by bucket; the same on every rank, whose seeds are the same
};

void run_sockeye(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.drop_last) throw ParameterError("drop_last", ": Sockeye fills incomplete batches up");
  if (policy.world_size > 1 && !policy.options.has("prepared-data"))
    throw ParameterError("world_size", ": Sockeye trains on several ranks from prepared data only",
                         "add `prepared-data`");
  BatchIterator iterator(lengths, policy);
  for (std::uint64_t e = 0; e < policy.first_epoch + policy.epochs; ++e) {
    iterator.shuffle();
    if (e >= policy.first_epoch) iterator.run_epoch(e, lengths, sink);
  }
}

std::string assumes_sockeye(const BatchPolicy& policy) {
  std::string text =
      "lengths are taken as Sockeye counts them, with </s> on the source and <s> on the target side (for text, "
      "`add_src` 1 "
      "`add_tgt` 1)";
  if (policy.options.has("prepared-data")) text += "; the data were prepared in one shard";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kSockeyeOptions{
    OptionSpec{"batch-type", Kind::text, "sentence",
               "what `batch_size` counts: sentence, word or max-word (Sockeye's own default: word)"},
    OptionSpec{"batch-sentences-multiple-of", Kind::count, "8", "sentences of a word or max-word batch"},
    OptionSpec{"bucket-width", Kind::count, "8", "tokens from one bucket to the next"},
    OptionSpec{"bucket-scaling", Kind::flag, "", "the shorter side has narrower buckets"},
    OptionSpec{"no-bucketing", Kind::flag, "", "one bucket, up to `max-seq-len`"},
    OptionSpec{"max-seq-len", Kind::text, "95",
               "longest sentence without its special symbol, X or SOURCE:TARGET; longer pairs are left out"},
    OptionSpec{"prepared-data", Kind::flag, "", "made by sockeye-prepare-data, in one shard"},
};

}  // namespace

const Sampler kSockeye{.name = "sockeye",
                       .summary = "Sockeye 3's bucketed iterator; batches are padded to their bucket",
                       .checked_against = "Sockeye's own code",
                       .example = "`batch_size` 4096 `batch-type` word",
                       .options = kSockeyeOptions,
                       .run = run_sockeye,
                       .assumes = assumes_sockeye};

}  // namespace seqpoint::batching::frameworks
