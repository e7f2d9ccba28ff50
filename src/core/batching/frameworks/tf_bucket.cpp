// tf.data: Dataset.shuffle, then bucket_by_sequence_length (tensorflow/python/data/experimental/ops/grouping.py).
//
// Bucket i holds lengths from boundary i-1 (inclusive) to boundary i (exclusive), the last one everything longer; of a
// pair, the longer side decides. With several workers each takes Dataset.shard(workers, worker) before shuffling, as
// Horovod's users write it, and an epoch ends with the first worker that has no batch left.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/tf_data.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

std::vector<std::uint64_t> numbers_of(const BatchPolicy& policy, const std::string& option) {
  std::vector<std::uint64_t> numbers;
  const std::string_view text = policy.options.text(option).value_or("");
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at < end) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number == 0 || (rest != end && *rest != ',') || (rest != end && rest + 1 == end))
      throw ParameterError(option, fmt::format(": '{}' is not a list of whole numbers of 1 or more", text),
                           "for example 10,20,40");
    numbers.push_back(number);
    at = rest == end ? end : rest + 1;
  }
  return numbers;
}

std::vector<std::uint64_t> boundaries_of(const BatchPolicy& policy) {
  std::vector<std::uint64_t> boundaries = numbers_of(policy, "bucket-boundaries");
  if (boundaries.empty())
    throw ParameterError("sampler", "tf-bucket needs the bounds of its buckets",
                         "`bucket-boundaries`, for example 10,20,40");
  if (std::adjacent_find(boundaries.begin(), boundaries.end(), std::greater_equal<>()) != boundaries.end())
    throw ParameterError("bucket-boundaries", "must ascend");
  return boundaries;
}

std::vector<std::uint64_t> batch_sizes_of(const BatchPolicy& policy, std::size_t buckets) {
  std::vector<std::uint64_t> sizes = numbers_of(policy, "bucket-batch-sizes");
  if (sizes.empty() && policy.batch_size > 0) sizes.assign(buckets, policy.batch_size);
  if (sizes.empty())
    throw ParameterError("sampler", "tf-bucket needs the batch size of each bucket",
                         "`bucket-batch-sizes`, or `batch_size` for all");
  if (sizes.size() != buckets)
    throw ParameterError("bucket-batch-sizes", fmt::format("has {} sizes for {} buckets", sizes.size(), buckets),
                         "one more than `bucket-boundaries`: the last is of what is longer than all of them");
  return sizes;
}

/// One run of tf-bucket.
class Bucketing {
 public:
  Bucketing(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : lengths_(lengths),
        policy_(policy),
        boundaries_(boundaries_of(policy)),
        pads_to_boundary_(policy.options.has("pad-to-bucket-boundary")) {
    windows_ = {.key = [this](std::uint32_t row) { return bucket(row); },
                .sizes = batch_sizes_of(policy, boundaries_.size() + 1),
                .drop_remainder = policy.drop_last};
    positive_count(policy, "buffer-size", 1);
    if (pads_to_boundary_) require_lengths_below_last_boundary();
  }

  void run_epoch(std::uint64_t e, const MicroBatchSink& sink) const {
    std::vector<Batches> workers;
    for (std::uint64_t w = 0; w < policy_.world_size; ++w) workers.push_back(group_by_window(order(w, e), windows_));
    ShapeOfBatch shape;
    if (pads_to_boundary_) shape = [this](std::span<const std::uint32_t> batch) { return padded_to_boundary(batch); };
    send_side_by_side(workers, e, IncompleteRound::drop, sink, shape);
  }

 private:
  std::size_t bucket(std::uint32_t row) const {
    const auto above = std::upper_bound(boundaries_.begin(), boundaries_.end(), longer_side(lengths_, row));
    return static_cast<std::size_t>(above - boundaries_.begin());
  }

  Rows order(std::uint64_t worker, std::uint64_t e) const {
    Rows rows = every_nth(file_order(lengths_.size()), worker, policy_.world_size);
    const auto buffer_size = policy_.options.count("buffer-size");
    if (!buffer_size) return rows;
    const TfShuffle shuffle(tf_seeds(policy_), *buffer_size, !policy_.options.has("no-reshuffle-each-iteration"));
    return shuffle(std::move(rows), e);
  }

  /// A batch is of one bucket.
  BatchShape padded_to_boundary(std::span<const std::uint32_t> batch) const {
    BatchShape shape = shape_of(batch, lengths_);
    shape.src_len = static_cast<std::uint32_t>(boundaries_[bucket(batch.front())] - 1);
    if (lengths_.paired()) shape.tgt_len = shape.src_len;
    return shape;
  }

  /// TensorFlow fails on such a length in the middle of the run.
  void require_lengths_below_last_boundary() const {
    std::uint64_t longest = 0;
    for (std::uint32_t row = 0; row < lengths_.size(); ++row)
      longest = std::max<std::uint64_t>(longest, longer_side(lengths_, row));
    if (longest < boundaries_.back()) return;
    const std::string last = std::to_string(boundaries_.back());
    throw ParameterError(
        "pad-to-bucket-boundary",
        fmt::format(": there is a length of {}, and the last of `bucket-boundaries` is {}", longest, last),
        "a larger boundary, or `max_length` " + std::to_string(boundaries_.back() - 1));
  }

  const lengths::Lengths& lengths_;
  const BatchPolicy& policy_;
  std::vector<std::uint64_t> boundaries_;
  bool pads_to_boundary_;
  Windows windows_;
};

void run_tf_bucket(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const Bucketing bucketing(lengths, policy);
  for (std::uint64_t e = 0; e < policy.epochs; ++e) bucketing.run_epoch(policy.first_epoch + e, sink);
}

std::string assumes_tf_bucket(const BatchPolicy& policy) {
  if (!policy.options.has("buffer-size")) return {};
  if (!policy.seed)
    return "tf.data shuffles unpredictably where neither shuffle(seed=...) nor tf.random.set_seed is given; this is "
           "the "
           "order of seed 0: give `seed`, and `global-seed` where the script sets one";
  return "the order holds if the epochs are iterations over one dataset object, and `global-seed` says what "
         "tf.random.set_seed was given";
}

using Kind = OptionSpec::Kind;
constexpr std::array kTfBucketOptions{
    OptionSpec{"bucket-boundaries", Kind::text, "", "where buckets begin, ascending: 10,20,40 makes four of them"},
    OptionSpec{"bucket-batch-sizes", Kind::text, "",
               "batch size of each bucket, one more than boundaries; else `batch_size`"},
    OptionSpec{"buffer-size", Kind::count, "", "of Dataset.shuffle; without it nothing is shuffled"},
    OptionSpec{"global-seed", Kind::count, "", "tf.random.set_seed; `seed` is that of shuffle"},
    OptionSpec{"no-reshuffle-each-iteration", Kind::flag, "", "shuffle(reshuffle_each_iteration=False)"},
    OptionSpec{"pad-to-bucket-boundary", Kind::flag, "", "pad to the bucket's boundary - 1, not to the longest"},
};

}  // namespace

const Sampler kTfBucket{
    .name = "tf-bucket",
    .summary = "tf.data's shuffle and bucket_by_sequence_length",
    .checked_against = "vectors and an emulation of TensorFlow's source; not run beside TensorFlow",
    .example = "`bucket-boundaries` 20,40 `bucket-batch-sizes` 64,32,16 `buffer-size` 10000 `seed` 1 `global-seed` 1",
    .options = kTfBucketOptions,
    .run = run_tf_bucket,
    .assumes = assumes_tf_bucket,
    .needs_batch_size = false};

}  // namespace seqpoint::batching::frameworks
