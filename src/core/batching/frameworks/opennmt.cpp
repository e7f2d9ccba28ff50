// OpenNMT-py 3, DynamicDatasetIter (onmt/inputters/dynamic_iterator.py): the corpus is read over and over; every
// `bucket_size` examples are sorted, cut into batches, and those shuffled. With workers, each reads its own lines and
// makes its own buckets, and the loader takes a batch from each in turn.
#include <algorithm>
#include <array>
#include <memory>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/micro_batch_builder.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::array<std::string_view, 2> kOpennmtBatchTypes{"sents", "tokens"};

/// batch_iter: cuts sorted examples into batches.
class BatchCutter {
 public:
  BatchCutter(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : lengths_(lengths),
        limit_(policy.batch_size),
        multiple_(std::max<std::uint64_t>(1, policy.options.count_or("batch-size-multiple", 1))),
        by_tokens_(policy.options.one_of("batch-type", kOpennmtBatchTypes) == "tokens"),
        last_batch_of_row_(lengths.size(), 0) {}

  std::vector<Rows> cut(const Rows& bucket) {
    batches_.clear();
    start({});
    for (const std::uint32_t row : bucket) add(row);
    if (!open_.empty()) batches_.push_back(std::move(open_));
    return std::move(batches_);
  }

 private:
  void start(Rows carried_over) {
    open_ = std::move(carried_over);
    longest_ = 0;
    for (const std::uint32_t row : open_) longest_ = std::max(longest_, length(row));
    ++batch_;
  }

  std::uint64_t length(std::uint32_t row) const {
    return std::max(lengths_.src[row], lengths_.paired() ? lengths_.tgt[row] : 0);
  }

  /// Leaves out a sentence that the batch already has, but for those carried over from the batch before.
  void add(std::uint32_t row) {
    if (last_batch_of_row_[row] == batch_) return;
    last_batch_of_row_[row] = batch_;
    open_.push_back(row);
    longest_ = std::max(longest_, length(row));
    const std::uint64_t size = by_tokens_ ? open_.size() * longest_ : open_.size();
    if (size >= limit_) close(size > limit_ ? 1 : 0);
  }

  void close(std::size_t beyond) {
    beyond += (open_.size() - beyond) % multiple_;
    if (beyond == open_.size()) return;  // fewer than the multiple: the batch grows beyond its limit
    const auto end = open_.end() - static_cast<std::ptrdiff_t>(beyond);
    batches_.emplace_back(open_.begin(), end);
    start(Rows(end, open_.end()));
  }

  const lengths::Lengths& lengths_;
  std::uint64_t limit_, multiple_;
  bool by_tokens_;
  std::vector<std::uint64_t> last_batch_of_row_;  ///< by row: the last batch that had it
  std::uint64_t batch_ = 0;
  Rows open_;
  std::uint64_t longest_ = 0;
  std::vector<Rows> batches_;
};

/// The part of the reader with number `offset` of `stride` (workers of all ranks).
struct LineShare {
  std::size_t stride = 1, offset = 0;
};

/// One worker's batches, bucket after bucket.
class Producer {
 public:
  Producer(const lengths::Lengths& lengths, const BatchPolicy& policy, LineShare share)
      : lengths_(lengths),
        cutter_(lengths, policy),
        shuffler_(python_seed(policy.seed.value_or(0))),
        full_size_(policy.options.count_or("bucket-size", 262144)),
        increment_(policy.options.count_or("bucket-size-increment", 0)) {
    if (full_size_ == 0) throw ParameterError("bucket-size", "must be 1 or more");
    // text_corpus.py cuts the corpus into blocks of `stride` lines, and each reader takes every stride-th block.
    for (std::uint32_t line = 0; line < lengths.size(); ++line)
      if (line / share.stride % share.stride == share.offset) lines_.push_back(line);
    examples_left_ = lines_.size() * policy.epochs;
    bucket_size_ = policy.options.count_or("bucket-size-init", 0);
    if (bucket_size_ == 0) bucket_size_ = full_size_;
  }

  /// The next batch and the pass over the corpus in which its bucket began; false at the end of the run.
  bool next(Rows& batch, std::uint64_t& pass) {
    if (ready_.empty() && examples_left_ == 0) return false;
    if (ready_.empty()) read_bucket();
    batch = std::move(ready_.back());
    ready_.pop_back();
    pass = pass_;
    return true;
  }

 private:
  void read_bucket() {
    const std::uint64_t size = std::min<std::uint64_t>(bucket_size_, examples_left_);
    pass_ = examples_read_ / lines_.size();
    Rows bucket;
    bucket.reserve(size);
    for (std::uint64_t i = 0; i < size; ++i) bucket.push_back(lines_[examples_read_++ % lines_.size()]);
    examples_left_ -= size;
    bucket_size_ = bucket_size_ < full_size_ ? bucket_size_ + increment_ : full_size_;
    std::stable_sort(bucket.begin(), bucket.end(), [&](auto a, auto b) { return before(a, b); });
    ready_ = shuffler_.sample_all(cutter_.cut(bucket));
    for (Rows& batch : ready_)
      std::stable_sort(batch.begin(), batch.end(), [&](auto a, auto b) { return before(b, a); });
    std::reverse(ready_.begin(), ready_.end());
  }

  bool before(std::uint32_t a, std::uint32_t b) const {
    if (lengths_.src[a] != lengths_.src[b] || !lengths_.paired()) return lengths_.src[a] < lengths_.src[b];
    return lengths_.tgt[a] < lengths_.tgt[b];
  }

  const lengths::Lengths& lengths_;
  BatchCutter cutter_;
  rng::PythonRandom shuffler_;
  std::uint64_t full_size_, increment_, bucket_size_ = 0;
  Rows lines_;
  std::uint64_t examples_left_ = 0, examples_read_ = 0, pass_ = 0;  ///< examples
  std::vector<Rows> ready_;                                         ///< the first batch at the back
};

/// What one rank trains on: the batches of its workers in turn.
class Loader {
 public:
  Loader(const lengths::Lengths& lengths, const BatchPolicy& policy, std::size_t rank) {
    const std::size_t workers = std::max<std::uint64_t>(1, policy.options.count_or("num-workers", 2));
    for (std::size_t k = 0; k < workers; ++k)
      producers_.push_back(
          std::make_unique<Producer>(lengths, policy, LineShare{policy.world_size * workers, rank * workers + k}));
  }

  bool next(Rows& batch, std::uint64_t& pass) {
    while (!producers_.empty()) {
      next_producer_ %= producers_.size();
      if (producers_[next_producer_]->next(batch, pass)) {
        ++next_producer_;
        return true;
      }
      producers_.erase(producers_.begin() + static_cast<std::ptrdiff_t>(next_producer_));
    }
    return false;
  }

 private:
  std::vector<std::unique_ptr<Producer>> producers_;
  std::size_t next_producer_ = 0;
};

void run_opennmt(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.first_epoch > 0)
    throw ParameterError("first_epoch", ": OpenNMT-py has no epochs, its buckets go on across the end of the corpus",
                         "scan from the beginning, with as many `epochs` as are wanted");
  if (policy.drop_last) throw ParameterError("drop_last", ": OpenNMT-py keeps incomplete batches");
  std::vector<Loader> loaders;
  for (std::size_t r = 0; r < policy.world_size; ++r) loaders.emplace_back(lengths, policy, r);
  MicroBatchBuilder micro_batch(sink);
  Rows batch;
  std::uint64_t pass = 0;
  for (;;) {
    std::uint64_t first_pass = 0;
    for (std::size_t r = 0; r < loaders.size(); ++r) {
      if (!loaders[r].next(batch, pass)) return;
      micro_batch.add_rank(batch);
      if (r == 0) first_pass = pass;
    }
    micro_batch.send(first_pass);
  }
}

std::string assumes_opennmt(const BatchPolicy& policy) {
  std::string text =
      "the order holds for one corpus, no two sentences alike and no empty lines; training goes on past the end of the "
      "corpus, so the last bucket here, which is cut short, is longer there";
  if (policy.seed.value_or(0) == 0) text += "; OpenNMT-py seeds nothing unless `seed` is above 0";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kOpennmtOptions{
    OptionSpec{"batch-type", Kind::text, "sents", "what `batch_size` counts: sents or tokens (padded)"},
    OptionSpec{"batch-size-multiple", Kind::count, "1", "of the number of sentences; 8 for fp16"},
    OptionSpec{"bucket-size", Kind::count, "262144", "examples that are sorted together"},
    OptionSpec{"bucket-size-init", Kind::count, "", "of the first bucket, if another"},
    OptionSpec{"bucket-size-increment", Kind::count, "0", "by which buckets grow until they have `bucket-size`"},
    OptionSpec{"num-workers", Kind::count, "2", "loading processes; 0: none"},
};

}  // namespace

const Sampler kOpenNmt{.name = "opennmt",
                       .summary = "OpenNMT-py 3's dynamic iterator",
                       .checked_against = "OpenNMT-py's own code",
                       .example = "`batch_size` 4096 `batch-type` tokens",
                       .options = kOpennmtOptions,
                       .run = run_opennmt,
                       .assumes = assumes_opennmt};

}  // namespace seqpoint::batching::frameworks
