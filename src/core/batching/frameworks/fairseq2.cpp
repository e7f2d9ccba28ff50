// fairseq2's data pipeline (native/src/fairseq2n/data), over rows in file order on one rank:
//   bucket_by_length  bucket_by_length_data_source.cc, with the bounds of create_bucket_sizes (data_pipeline.py)
//   dynamic_bucket    dynamic_bucket_data_source.cc, where the cost of a row is its length
//   pack              packed_data_source.cc
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/packs.hpp"
#include "core/batching/token_stream.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::array<std::string_view, 3> kPipelines{"bucket_by_length", "dynamic_bucket", "pack"};

std::uint64_t needed(const BatchPolicy& policy, std::string_view option) {
  const auto value = policy.options.count(option);
  if (!value || *value == 0)
    throw ParameterError("sampler", fmt::format("fairseq2: `pipeline` {} needs `{}`, of 1 or more",
                                                policy.options.one_of("pipeline", kPipelines), option));
  return *value;
}

/// Rows that are up to `length` long, `rows` a batch.
struct LengthBucket {
  std::uint64_t length = 0, rows = 0;
  Rows held = {};
};

std::vector<LengthBucket> bucket_sizes(const BatchPolicy& policy) {
  const std::uint64_t elements = needed(policy, "max-num-elements"), longest = needed(policy, "max-seq-len");
  const std::uint64_t shortest = policy.options.count_or("min-seq-len", 1);
  const std::uint64_t multiple = policy.options.count_or("num-seqs-multiple-of", 1);
  if (elements % longest != 0 || shortest == 0 || shortest > longest || multiple == 0)
    throw ParameterError(
        "sampler",
        "fairseq2: `max-num-elements` must be a multiple of `max-seq-len`, `min-seq-len` from 1 to that, and "
        "`num-seqs-multiple-of` 1 or more");
  std::vector<LengthBucket> buckets;
  std::uint64_t rows = elements;
  for (std::uint64_t length = 1; length < longest; length = elements / rows) {
    if (length >= shortest) buckets.push_back({length, rows});
    rows = elements / (length + 1);
  }
  buckets.push_back({longest, rows});
  for (LengthBucket& bucket : buckets)
    if (bucket.rows > multiple) bucket.rows -= bucket.rows % multiple;
  return buckets;
}

/// What is left at the end, from the longest bucket down; each is filled up from the backs of shorter ones.
void flush(std::vector<LengthBucket>& buckets, bool drop_incomplete, Batches& batches) {
  for (std::size_t b = buckets.size(); b-- > 0;) {
    Rows& batch = buckets[b].held;
    for (std::size_t shorter = b; shorter-- > 0 && !batch.empty();)
      while (batch.size() < buckets[b].rows && !buckets[shorter].held.empty()) {
        batch.push_back(buckets[shorter].held.back());
        buckets[shorter].held.pop_back();
      }
    if (batch.empty()) continue;
    if (drop_incomplete && batch.size() != buckets[b].rows) return;
    batches.add_group(batch);
  }
}

Batches by_length(const std::vector<std::uint32_t>& lengths, const BatchPolicy& policy) {
  std::vector<LengthBucket> buckets = bucket_sizes(policy);
  const std::uint64_t shortest = policy.options.count_or("min-seq-len", 1);
  Batches batches;
  for (std::uint32_t row = 0; row < lengths.size(); ++row) {
    const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), lengths[row],
                                         [](const LengthBucket& b, std::uint64_t length) { return b.length < length; });
    if (lengths[row] < shortest || bucket == buckets.end()) continue;
    bucket->held.push_back(row);
    if (bucket->held.size() < bucket->rows) continue;
    batches.add_group(bucket->held);
    bucket->held.clear();
  }
  flush(buckets, policy.drop_last, batches);
  return batches;
}

/// A batch is full once it has its cost and enough rows, or as many rows as it may have (0: any number).
Batches by_cost(const std::vector<std::uint32_t>& lengths, const BatchPolicy& policy) {
  const std::uint64_t threshold = needed(policy, "threshold");
  const std::uint64_t fewest = policy.options.count_or("min-num-examples", 1);
  const std::uint64_t most = policy.options.count_or("max-num-examples", 0);
  Batches batches;
  std::uint64_t cost = 0;
  for (std::uint32_t row = 0; row < lengths.size(); ++row) {
    batches.add(row);
    cost += lengths[row];
    if (batches.open_size() != most && (cost < threshold || batches.open_size() < fewest)) continue;
    batches.close();
    cost = 0;
  }
  if (!policy.drop_last) batches.close();
  return batches;
}

/// A row that ends a pack goes on in the next one with its last token once more; pieces are --max-seq-len at most.
Packs packed(const std::vector<std::uint32_t>& lengths, const BatchPolicy& policy) {
  const std::uint64_t capacity = needed(policy, "num-elements");
  const std::uint64_t longest = std::min(capacity, policy.options.count_or("max-seq-len", capacity));
  if (longest < 2)
    throw ParameterError("sampler", "fairseq2: `num-elements` and `max-seq-len` must be 2 or more to pack");
  Packs packs;
  std::uint64_t free = capacity;
  for (std::uint32_t row = 0; row < lengths.size(); ++row)
    for (std::uint64_t left = lengths[row]; left > 0;) {
      const std::uint64_t taken = std::min({left, longest, free});
      packs.add({row, static_cast<std::uint32_t>(taken)});
      left -= taken;
      free -= taken;
      if (free > 0) continue;
      packs.close();
      if (left > 0) ++left;
      free = capacity;
    }
  if (!policy.drop_last) packs.close();
  return packs;
}

/// With truncate=False rows stay whole: one that does not fit begins the next pack. The last pack is kept, whatever
/// drop_remainder says.
Packs packed_whole(const std::vector<std::uint32_t>& lengths, const BatchPolicy& policy) {
  const std::uint64_t capacity = needed(policy, "num-elements");
  const std::uint64_t longest = std::min(capacity, policy.options.count_or("max-seq-len", capacity));
  std::vector<Piece> pieces;
  for (std::uint32_t row = 0; row < lengths.size(); ++row) {
    if (lengths[row] > longest)
      throw ParameterError("no-truncate",
                           fmt::format(": row {} has {} tokens, more than {}; here the original stops with a "
                                       "DataPipelineError",
                                       row, lengths[row], longest),
                           "more `num-elements` and `max-seq-len`, or `max_length` to leave out longer rows");
    if (lengths[row] > 0) pieces.push_back(whole(row, lengths));
  }
  Packs packs;
  add_next_fit(packs, pieces, capacity);
  return packs;
}

void run_fairseq2(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.world_size > 1)
    throw ParameterError("sampler", "fairseq2 is one rank; how its recipes share a pipeline is not known here",
                         "`world_size` 1");
  require_one_side(lengths, policy);
  const std::string_view pipeline = policy.options.one_of("pipeline", kPipelines);
  const auto pack = policy.options.has("no-truncate") ? packed_whole : packed;
  const Packs packs = pipeline == "pack" ? pack(lengths.src, policy) : Packs();
  const auto padded_to = static_cast<std::uint32_t>(policy.options.count_or("num-elements", 0));
  const Batches batches = pipeline == "bucket_by_length" ? by_length(lengths.src, policy)
                          : pipeline == "dynamic_bucket" ? by_cost(lengths.src, policy)
                                                         : Batches();
  BatchPolicy one_pack = policy;
  one_pack.batch_size = 1;
  for (std::uint64_t e = policy.first_epoch; e < policy.first_epoch + policy.epochs; ++e)
    if (pipeline == "pack")
      distribute_batches(file_order(packs.size()), one_pack, e, IncompleteRound::keep,
                         packs_to_rows(packs, padded_to, sink));
    else
      deal_batches(batches, file_order(batches.size()), policy, e, IncompleteRound::keep, sink);
}

std::string assumes_fairseq2(const BatchPolicy& policy) {
  return policy.options.one_of("pipeline", kPipelines) == "bucket_by_length"
             ? "rows come in file order; rows that are longer than `max-seq-len` or shorter than `min-seq-len` are "
               "left out"
             : "rows come in file order";
}

using Kind = OptionSpec::Kind;
constexpr std::array kFairseq2Options{
    OptionSpec{"max-num-elements", Kind::count, "", "bucket_by_length: padded elements of a batch, at most"},
    OptionSpec{"max-num-examples", Kind::count, "", "dynamic_bucket: rows of a batch, at most"},
    OptionSpec{"max-seq-len", Kind::count, "", "bucket_by_length: the longest row; pack: the longest piece of a row"},
    OptionSpec{"min-num-examples", Kind::count, "1", "dynamic_bucket: rows of a batch, at least"},
    OptionSpec{"min-seq-len", Kind::count, "1", "bucket_by_length: the shortest row"},
    OptionSpec{"no-truncate", Kind::flag, "", "pack: truncate=False, rows stay whole"},
    OptionSpec{"num-elements", Kind::count, "", "pack: tokens of a packed sequence"},
    OptionSpec{"num-seqs-multiple-of", Kind::count, "1", "bucket_by_length: rows of a batch are a multiple of this"},
    OptionSpec{"pipeline", Kind::text, "bucket_by_length",
               "bucket_by_length, dynamic_bucket or pack; `drop_last` is drop_remainder"},
    OptionSpec{"threshold", Kind::count, "", "dynamic_bucket: a batch ends once its rows are this long together"},
};

}  // namespace

const Sampler kFairseq2{.name = "fairseq2",
                        .summary = "fairseq2's bucket_by_length, dynamic_bucket and pack, in file order",
                        .checked_against = "fairseq2's own C++ (2026-04) and vectors",
                        .example = "`max-num-elements` 8000 `max-seq-len` 200",
                        .options = kFairseq2Options,
                        .run = run_fairseq2,
                        .assumes = assumes_fairseq2,
                        .needs_batch_size = false,
                        .takes_seed = false};

}  // namespace seqpoint::batching::frameworks
