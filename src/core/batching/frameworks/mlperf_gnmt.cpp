// GNMT of MLPerf training (rnn_translator, seq2seq/data/sampler.py and utils.py), and NVIDIA's versions of it. The
// master seed gives a seed to every worker, then one to every epoch. Each epoch's generator permutes the pairs, and
// then whole global batches (a batch for every rank), in which ranks follow each other; what does not fill one is left
// out.
#include <algorithm>
#include <array>
#include <map>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::uint64_t kSeedValues = 1ULL << 32U;
constexpr std::uint64_t kShardSize = 80, kBuckets = 5, kMaxLength = 50;  // the originals' defaults

/// The value of a sampler's option, a whole number; `otherwise` if the option was not set. Throws ParameterError for 0
/// and for any other text.
std::uint64_t positive_count(const BatchPolicy& policy, std::string_view option, std::uint64_t otherwise) {
  const std::uint64_t value = policy.options.count_or(option, otherwise);
  if (value == 0) throw ParameterError(option, "must be 1 or more");
  return value;
}

/// Makes the order of an epoch before its global batches are permuted: whole batches of `global` rows.
using Ordering = Rows (*)(const lengths::Lengths&, const BatchPolicy&, std::size_t global, rng::TorchGenerator&);

/// A random permutation of all samples, cut to whole global batches.
Rows order_at_random(const lengths::Lengths& lengths, const BatchPolicy&, std::size_t global,
                     rng::TorchGenerator& generator) {
  Rows order = generator.permutation(static_cast<std::uint32_t>(lengths.size()));
  order.resize(order.size() / global * global);
  return order;
}

/// Sorts rows ascending by the sum of both lengths. torch.Tensor.sort on the CPU is std::sort of (key, index) records
/// by the key alone: not stable, so equal keys end up where libstdc++ takes them, and other standard libraries
/// elsewhere. The comparison alone decides, whatever the compiler.
void sort_as_torch(std::span<std::uint32_t> rows, const lengths::Lengths& lengths) {
  struct Record {
    std::uint64_t key;
    std::uint32_t row;
  };
  std::vector<Record> records;
  for (const std::uint32_t row : rows) records.push_back({std::uint64_t{lengths.src[row]} + lengths.tgt[row], row});
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = records[i].row;
}

/// Shards of `shard-size` global batches of the random order, each sorted ascending by the sum of both lengths.
Rows order_in_shards(const lengths::Lengths& lengths, const BatchPolicy& policy, std::size_t global,
                     rng::TorchGenerator& generator) {
  Rows order = order_at_random(lengths, policy, global, generator);
  const std::size_t batches = order.size() / global;
  const std::size_t shard =
      std::min<std::uint64_t>(positive_count(policy, "shard-size", kShardSize), batches + 1) * global;
  for (std::size_t begin = 0; begin < order.size(); begin += shard)
    sort_as_torch(std::span(order).subspan(begin, std::min(shard, order.size() - begin)), lengths);
  return order;
}

/// Pairs in buckets of equal width by the longer side, by the bucket's number from 0: `num-buckets` share
/// `max-length-train`, and the last one takes all longer pairs. Empty buckets are left out.
std::map<std::uint64_t, Rows> buckets_of(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  const std::uint64_t count = positive_count(policy, "num-buckets", kBuckets);
  const std::uint64_t longest = positive_count(policy, "max-length-train", kMaxLength);
  const std::uint64_t width = (longest - 1) / count + 1;
  std::map<std::uint64_t, Rows> buckets;
  for (std::uint32_t row = 0; row < lengths.size(); ++row)
    buckets[std::min(std::max(lengths.src[row], lengths.tgt[row]) / width, count - 1)].push_back(row);
  return buckets;
}

/// Bucket after bucket, shortest first, each in random order and cut to whole global batches.
Rows order_in_buckets(const lengths::Lengths& lengths, const BatchPolicy& policy, std::size_t global,
                      rng::TorchGenerator& generator) {
  Rows order;
  for (const auto& [number, bucket] : buckets_of(lengths, policy)) {
    const Rows shuffled =
        generator.permutation(static_cast<std::uint32_t>(bucket.size()));  // also for a bucket that is too small
    for (std::size_t i = 0; i < bucket.size() / global * global; ++i) order.push_back(bucket[shuffled[i]]);
  }
  return order;
}

/// The ordering that `batching` names, bucketing by default. Throws ParameterError for another word.
Ordering ordering_of(const BatchPolicy& policy) {
  constexpr std::array<std::string_view, 3> kBatchings{"bucketing", "random", "sharding"};
  const std::string_view batching = policy.options.one_of("batching", kBatchings);
  return batching == "random" ? order_at_random : batching == "sharding" ? order_in_shards : order_in_buckets;
}

/// random.Random(--seed), from which one number is drawn for every worker, then one for every epoch. The next draw is
/// the seed of `policy.epoch`.
rng::PythonRandom epoch_seeds(const BatchPolicy& policy) {
  rng::PythonRandom master(policy.seed.value_or(0));
  for (std::uint64_t i = 0; i < policy.world_size + policy.epoch; ++i) master.randrange(kSeedValues);
  return master;
}

/// Sampler::run. Global batches are permuted after ordering, except with `random`. Throws ParameterError for unpaired
/// data, except with `random`, and if an order has no whole global batch.
void run_gnmt(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const Ordering ordering = ordering_of(policy);
  if (ordering != order_at_random && !lengths.paired())
    throw ParameterError("sampler", "mlperf-gnmt looks at both sides of a pair, and there is only one here",
                         "`tgt` FILE or `tgt_length_field` NAME; `batching` random does without");
  const std::size_t global = policy.batch_size * policy.world_size;
  MicroBatchBuilder builder(sink);
  rng::PythonRandom seeds = epoch_seeds(policy);
  for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e) {
    rng::TorchGenerator generator(seeds.randrange(kSeedValues));
    const Rows order = ordering(lengths, policy, global, generator);
    if (order.empty())
      throw ParameterError(
          "batch_size",
          ": mlperf-gnmt leaves out what does not fill a batch of every rank, and here that is everything",
          "a smaller `batch_size` or `world_size`, or fewer `num-buckets`");
    Rows batches = file_order(order.size() / global);
    if (ordering != order_at_random) batches = generator.permutation(static_cast<std::uint32_t>(batches.size()));
    for (const std::uint32_t batch : batches) {
      for (std::size_t r = 0; r < policy.world_size; ++r)
        builder.add_rank(std::span(order).subspan(batch * global + r * policy.batch_size, policy.batch_size));
      builder.send(e);
    }
  }
}

std::string assumes_gnmt(const BatchPolicy& policy) {
  std::string text =
      "lengths count BOS and EOS (of text: `add_src` 2 `add_tgt` 2), and pairs with a side beyond "
      "`max-length-train` were left out by the reader (`max_length`)";
  if (!policy.seed) text += "; `seed` 0, where the original without a seed asks the operating system for one";
  if (ordering_of(policy) == order_in_shards)
    text +=
        "; equal lengths inside a shard fall as with PyTorch's std::sort (libstdc++), which newer releases replace on "
        "processors with AVX2 and for shards of 32768 pairs or more";
  return text;
}

constexpr std::array kMlperfGnmtOptions{
    OptionSpec{"batching", Kind::text, "bucketing", "random, sharding or bucketing"},
    OptionSpec{"max-length-train", Kind::count, "50", "longest side of a pair, which the buckets share"},
    OptionSpec{"num-buckets", Kind::count, "5", "buckets of equal width"},
    OptionSpec{"shard-size", Kind::count, "80", "global batches that are sorted together"},
};

}  // namespace

const Sampler kMlperfGnmt{.name = "mlperf-gnmt",
                          .summary = "MLPerf's (and NVIDIA's) GNMT: buckets by length, or sorted shards, or neither",
                          .checked_against = "MLPerf's own code (Training 0.7, 2020) and vectors",
                          .example = "`batch_size` 64 `seed` 1",
                          .options = kMlperfGnmtOptions,
                          .run = run_gnmt,
                          .assumes = assumes_gnmt};

}  // namespace seqpoint::batching::frameworks
