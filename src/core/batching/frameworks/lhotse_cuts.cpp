// lhotse.dataset.SimpleCutSampler and DynamicCutSampler: one cut after the other until a batch is full.
#include <array>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/lhotse_constraints.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

/// CutSet.shuffle of a set that is read lazily (lhotse/lazy.py, LazyShuffler).
constexpr std::size_t kLazyBuffer = 10000;

/// Fills batches from an order of the data set.
class BatchCollector {
 public:
  BatchCollector(const std::vector<double>& seconds, std::vector<std::uint32_t> order, const BatchPolicy& policy)
      : seconds_(seconds), order_(std::move(order)), constraint_(policy.options), drop_last_(policy.drop_last) {}

  /// Replaces `batch` by the next one; false at the end. simple.py: a cut that would overfill the batch begins the next
  /// batch; a cut that is too long by itself is a batch of its own.
  bool next_of_simple(Rows& batch) {
    start(batch);
    for (; position_ < order_.size(); ++position_) {
      constraint_.add(seconds_[order_[position_]]);
      if (constraint_.exceeded() && !batch.empty()) return true;
      batch.push_back(order_[position_]);
    }
    return keep_last(batch);
  }

  /// Replaces `batch` by the next one; false at the end. dynamic.py, DurationBatcher: the batch ends as soon as one
  /// more cut, as long as its longest, would be too much.
  bool next_of_dynamic(Rows& batch) {
    start(batch);
    while (position_ < order_.size()) {
      batch.push_back(order_[position_]);
      constraint_.add(seconds_[order_[position_++]]);
      if (constraint_.close_to_exceeding()) return true;
    }
    return keep_last(batch);
  }

 private:
  void start(Rows& batch) {
    batch.clear();
    constraint_.reset();
  }
  /// Whether a last batch that is not full is kept: not if it is empty, and with drop_last only if it is close to a
  /// limit.
  bool keep_last(const Rows& batch) const {
    return !batch.empty() && (!drop_last_ || constraint_.close_to_exceeding());
  }

  const std::vector<double>& seconds_;
  std::vector<std::uint32_t> order_;
  lhotse::TimeConstraint constraint_;
  bool drop_last_;
  std::size_t position_ = 0;
};

/// The file order; with `shuffle` random.Random(seed of the epoch).shuffle of all cuts or, with `lazy`, through a
/// buffer of kLazyBuffer cuts.
std::vector<std::uint32_t> order_of_simple(std::uint32_t n, const BatchPolicy& policy, std::uint64_t epoch) {
  if (!policy.options.has("shuffle")) return file_order(n);
  if (policy.options.has("lazy")) return lhotse::streaming_shuffle(n, kLazyBuffer, lhotse::epoch_seed(policy, epoch));
  std::vector<std::uint32_t> order = file_order(n);
  rng::PythonRandom(lhotse::epoch_seed(policy, epoch)).shuffle(std::span(order));
  return order;
}

/// The file order; with `shuffle` shuffled through a buffer of `shuffle-buffer-size` cuts.
std::vector<std::uint32_t> order_of_dynamic(std::uint32_t n, const BatchPolicy& policy, std::uint64_t epoch) {
  if (!policy.options.has("shuffle")) return file_order(n);
  return lhotse::streaming_shuffle(n, policy.options.count_or("shuffle-buffer-size", 20000),
                                   lhotse::epoch_seed(policy, epoch));
}

/// Walks the epochs of the policy. `order(samples, policy, epoch)` makes the order of an epoch, from which `next` takes
/// the batches.
template <class Order>
void run(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink, Order order,
         bool (BatchCollector::*next)(Rows&)) {
  const auto n = static_cast<std::uint32_t>(lengths.size());
  for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e) {
    BatchCollector collector(lengths.seconds, order(n, policy, e), policy);
    lhotse::run_epoch([&](Rows& batch) { return (collector.*next)(batch); }, policy, e, sink);
  }
}

/// Throws ParameterError for several ranks and a checkpoint within an epoch. Reason: the state of SimpleCutSampler
/// counts the cuts of one rank, but a resumed rank skips that many cuts of all ranks.
void require_one_rank(const lengths::Lengths&, const BatchPolicy& policy, const ResumePoint& at) {
  if (policy.world_size == 1 || at.done == 0) return;
  throw ParameterError("resume_at", ": SimpleCutSampler does not go on at the same place on several ranks",
                       "`world_size` 1, or a checkpoint behind an epoch");
}

void run_simple(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  run(lengths, policy, sink, order_of_simple, &BatchCollector::next_of_simple);
}

void run_dynamic(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  run(lengths, policy, sink, order_of_dynamic, &BatchCollector::next_of_dynamic);
}

using Kind = OptionSpec::Kind;
constexpr std::array kSimpleOptions{
    lhotse::kMaxDuration,
    lhotse::kMaxCuts,
    lhotse::kQuadraticDuration,
    lhotse::kShuffle,
    OptionSpec{"lazy", Kind::flag, "", "the CutSet is read lazily: it is shuffled through a buffer of 10000 cuts"},
    lhotse::kNoSetEpoch,
};
constexpr std::array kDynamicOptions{
    lhotse::kMaxDuration,
    lhotse::kMaxCuts,
    lhotse::kQuadraticDuration,
    lhotse::kShuffle,
    OptionSpec{"shuffle-buffer-size", Kind::count, "20000", "cuts that are held for shuffling"},
    lhotse::kNoSetEpoch,
};

}  // namespace

const Sampler kLhotseSimple{
    .name = "lhotse-simple",
    .summary = "Lhotse's SimpleCutSampler",
    .checked_against = "Lhotse itself",
    .example = ":max-duration=200,shuffle `seed` 1",
    .options = kSimpleOptions,
    .run = run_simple,
    .assumes = lhotse::assumes,
    .needs_seconds = true,
    .needs_batch_size = false,
    .resuming = {.same_batches = true, .about = lhotse::kResumes, .require_same = require_one_rank}};
const Sampler kLhotseDynamic{.name = "lhotse-dynamic",
                             .summary = "Lhotse's DynamicCutSampler",
                             .checked_against = "Lhotse itself",
                             .example = ":max-duration=200,shuffle `seed` 1",
                             .options = kDynamicOptions,
                             .run = run_dynamic,
                             .assumes = lhotse::assumes,
                             .needs_seconds = true,
                             .needs_batch_size = false,
                             .resuming = {.same_batches = true, .about = lhotse::kResumes}};

}  // namespace seqpoint::batching::frameworks
