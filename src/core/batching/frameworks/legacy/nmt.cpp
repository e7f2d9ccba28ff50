// tensorflow/nmt (nmt/utils/iterator_utils.py): shuffle, drop pairs with an empty side, truncate both sides, then
// batches of pairs whose longer side is in the same bucket. The target has one symbol more (its begin, its end) than
// its text; lengths stand as they are given, but buckets count it.
#include <algorithm>
#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/tf_data.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks::legacy {
namespace {

constexpr std::uint64_t kDefaultBuckets = 5, kDefaultMaxLength = 50;  // nmt/nmt.py
constexpr std::uint64_t kBufferedBatches = 1000;
constexpr std::uint64_t kWidthWithoutMaximum = 10;

/// One run of tensorflow/nmt.
class Nmt {
 public:
  Nmt(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : lengths_(lengths),
        policy_(policy),
        buckets_(policy.options.count_or("num-buckets", kDefaultBuckets)),
        src_max_(policy.options.count_or("src-max-len", kDefaultMaxLength)),
        tgt_max_(policy.options.count_or("tgt-max-len", kDefaultMaxLength)),
        width_(src_max_ > 0 && buckets_ > 0 ? (src_max_ + buckets_ - 1) / buckets_ : kWidthWithoutMaximum),
        shuffle_(tf_seeds(policy), positive_count(policy, "output-buffer-size", policy.batch_size * kBufferedBatches),
                 true) {
    // num_buckets + 1 keys: the last is of pairs that are longer than num_buckets x width.
    const std::size_t keys = buckets_ > 1 ? buckets_ + 1 : 1;
    windows_ = {.key = [this](std::uint32_t row) { return key(row); },
                .sizes = std::vector<std::uint64_t>(keys, policy.batch_size),
                .drop_remainder = policy.drop_last};
  }

  void run_epoch(std::uint64_t e, const MicroBatchSink& sink) const {
    Rows order = shuffle_(file_order(lengths_.size()), e);
    std::erase_if(order, [this](std::uint32_t row) { return lengths_.src[row] == 0 || words(row) == 0; });
    const Batches batches = group_by_window(order, windows_);
    deal_batches(batches, file_order(batches.size()), policy_, e, IncompleteRound::keep, sink,
                 [this](std::span<const std::uint32_t> rows) { return truncated(rows); });
  }

 private:
  static std::uint32_t cut(std::uint32_t length, std::uint64_t most) {
    return most == 0 ? length : static_cast<std::uint32_t>(std::min<std::uint64_t>(length, most));
  }
  /// The words of the target's text.
  std::uint32_t words(std::uint32_t row) const {
    return lengths_.tgt[row] - std::min(lengths_.tgt[row], lengths_.tgt_symbols);
  }
  std::uint32_t src(std::uint32_t row) const { return cut(lengths_.src[row], src_max_); }
  std::uint32_t tgt(std::uint32_t row) const { return cut(words(row), tgt_max_); }

  std::size_t key(std::uint32_t row) const {
    if (buckets_ <= 1) return 0;
    return std::min(buckets_, std::max(src(row) / width_, (std::uint64_t{tgt(row)} + 1) / width_));
  }

  BatchShape truncated(std::span<const std::uint32_t> rows) const {
    BatchShape shape;
    shape.sequences = static_cast<std::uint32_t>(rows.size());
    for (const std::uint32_t row : rows) {
      const std::uint32_t target = tgt(row) + lengths_.tgt_symbols;
      shape.src_len = std::max(shape.src_len, src(row));
      shape.tgt_len = std::max(shape.tgt_len, target);
      shape.tokens += std::uint64_t{src(row)} + target;
      shape.sq_tokens += std::uint64_t{src(row)} * src(row) + std::uint64_t{target} * target;
    }
    return shape;
  }

  const lengths::Lengths& lengths_;
  const BatchPolicy& policy_;
  std::uint64_t buckets_, src_max_, tgt_max_, width_;
  TfShuffle shuffle_;
  Windows windows_;
};

void run_nmt(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (!lengths.paired())
    throw ParameterError("sampler", "nmt batches pairs", "the target side: `targets` FILE or `tgt_length_field` NAME");
  if (policy.world_size > 1)
    throw ParameterError("sampler", "nmt is one process; tensorflow/nmt trains in no other way");
  const Nmt nmt(lengths, policy);
  for (std::uint64_t e = 0; e < policy.epochs; ++e) nmt.run_epoch(policy.first_epoch + e, sink);
}

std::string assumes_nmt(const BatchPolicy& policy) {
  if (!policy.seed)
    return "tensorflow/nmt shuffles unpredictably unless it is given random_seed; this is the order of seed 0";
  return "the order holds if every epoch continues the seeds of the first; whether re-initialising an iterator does, "
         "depends on the version of TensorFlow 1";
}

using Kind = OptionSpec::Kind;
constexpr std::array kNmtOptions{
    OptionSpec{"num-buckets", Kind::count, "5", "buckets by the longer side; 1 or less: none"},
    OptionSpec{"src-max-len", Kind::count, "50", "longer sources are cut; 0: none is"},
    OptionSpec{"tgt-max-len", Kind::count, "50", "longer targets are cut; 0: none is"},
    OptionSpec{"output-buffer-size", Kind::count, "", "of the shuffle; 1000 batches unless given"},
    OptionSpec{"global-seed", Kind::count, "", "tf.set_random_seed; `seed` is nmt's random_seed"},
};

constexpr Resuming kSkipsLines{
    .about = "tensorflow/nmt leaves out the first lines of the files and shuffles the rest, which makes other batches"};

}  // namespace

const Sampler kNmt{.name = "nmt",
                   .summary = "tensorflow/nmt: buckets by the longer side of a pair",
                   .last_release = "none; its code is of 2019",
                   .checked_against = "vectors and an emulation of TensorFlow's source; not run beside TensorFlow",
                   .example = "`batch_size` 64 `seed` 1 `global-seed` 1",
                   .options = kNmtOptions,
                   .run = run_nmt,
                   .assumes = assumes_nmt,
                   .resuming = kSkipsLines};

}  // namespace seqpoint::batching::frameworks::legacy
