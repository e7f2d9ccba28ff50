// The samplers of Lhotse (lhotse/dataset/sampling).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/numbers.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

// --- When a batch is full, and which rank gets it

namespace lhotse {

/// A sampler's state counts the batches that it has drawn, including those that workers prefetched.
constexpr std::string_view kResumes = "each rank's sampler saved its state_dict, and no worker had fetched ahead";

constexpr OptionSpec kMaxDuration{"max-duration", Kind::number, "", "most seconds in a batch, with padding"};
constexpr OptionSpec kMaxCuts{"max-cuts", Kind::count, "", "most cuts in a batch"};
constexpr OptionSpec kQuadraticDuration{"quadratic-duration", Kind::number, "",
                                        "a cut of this many seconds counts twice (TimeConstraint)"};
constexpr OptionSpec kShuffle{"shuffle", Kind::flag, "", "shuffle=True"};
constexpr OptionSpec kNoSetEpoch{"no-set-epoch", Kind::flag, "", "the script never calls sampler.set_epoch"};

/// The number of an option; nothing if it was not set. Throws ParameterError for 0.
std::optional<double> above_zero(const OptionValues& options, const OptionSpec& spec) {
  const auto value = options.number(spec.name);
  if (value && *value == 0) throw ParameterError(spec.name, "must be more than 0");
  return value;
}

/// lhotse.dataset.sampling.base.TimeConstraint: the limits of a batch.
class TimeConstraint {
 public:
  /// Reads `max-duration`, `max-cuts` and `quadratic-duration`. Throws ParameterError for 0, and if neither of the
  /// first two is set.
  explicit TimeConstraint(const OptionValues& options)
      : max_duration_(above_zero(options, kMaxDuration)),
        max_cuts_(options.count(kMaxCuts.name)),
        quadratic_duration_(above_zero(options, kQuadraticDuration)) {
    if (max_cuts_ && *max_cuts_ == 0) throw ParameterError("max-cuts", "must be 1 or more");
    if (!max_duration_ && !max_cuts_)
      throw ParameterError("max-duration", ": Lhotse's samplers need a limit on the size of a batch",
                           "`max-duration` SECONDS or `max-cuts` N");
  }

  /// Begins an empty batch.
  void reset() {
    cuts_ = 0;
    longest_ = 0;
  }

  /// Adds a cut. With `quadratic-duration` Q, a cut of d seconds counts as d + d^2 / Q.
  void add(double seconds) {
    // Python's d ** 2 goes through pow(), which for one duration in a thousand or so is off by the last bit.
    if (quadratic_duration_) seconds += seconds * seconds / *quadratic_duration_;
    longest_ = std::max(longest_, seconds);
    ++cuts_;
  }

  /// Whether the batch exceeds a limit: more cuts than `max-cuts`, or cuts times the longest above `max-duration`.
  bool exceeded() const {
    if (max_cuts_ && cuts_ > *max_cuts_) return true;
    return max_duration_ && static_cast<double>(cuts_) * longest_ > *max_duration_;
  }

  /// Whether the batch would exceed a limit with one more cut as long as its longest.
  bool close_to_exceeding() const {
    if (max_cuts_ && cuts_ >= *max_cuts_) return true;
    return max_duration_ && static_cast<double>(cuts_ + 1) * longest_ > *max_duration_;
  }

 private:
  std::optional<double> max_duration_;  ///< seconds, padded to the longest cut
  std::optional<std::uint64_t> max_cuts_;
  std::optional<double> quadratic_duration_;
  std::uint64_t cuts_ = 0;
  double longest_ = 0;
};

/// base.py: the cuts of fewer batches than ranks, joined, then cut into `ranks` consecutive batches whose sizes differ
/// by one at most, larger ones first. Fewer cuts than ranks are repeated.
std::vector<Rows> split_evenly(const std::vector<Rows>& batches, std::size_t ranks) {
  Rows all;
  for (const Rows& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  while (all.size() < ranks) {
    const std::size_t repeated = std::min(ranks - all.size(), all.size());
    for (std::size_t i = 0; i < repeated; ++i) all.push_back(all[i]);
  }
  std::vector<Rows> parts;
  auto begin = all.cbegin();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto size = static_cast<std::ptrdiff_t>(all.size() / ranks + (r < all.size() % ranks ? 1 : 0));
    parts.emplace_back(begin, begin + size);
    begin += size;
  }
  return parts;
}

/// Replaces its argument by the next batch of the epoch; false, from then on always, if there is none.
using NextBatch = std::function<bool(Rows&)>;

/// Sends the micro-batches of one epoch. CutSampler.__next__: a micro-batch is the next `world_size` batches, one for
/// each rank. With drop_last an incomplete last round is dropped; else its cuts are split evenly over the ranks, and
/// repeated if there are fewer cuts than ranks.
void run_epoch(const NextBatch& next, const BatchPolicy& policy, std::uint64_t epoch, const MicroBatchSink& sink) {
  MicroBatchBuilder micro_batch(sink);
  std::vector<Rows> batches;
  for (;;) {
    batches.clear();
    for (Rows batch; batches.size() < policy.world_size && next(batch);) batches.push_back(batch);
    if (batches.empty() || (policy.drop_last && batches.size() < policy.world_size)) return;
    if (batches.size() < policy.world_size) batches = split_evenly(batches, policy.world_size);
    for (const Rows& batch : batches) micro_batch.add_rank(batch);
    micro_batch.send(epoch);
  }
}

/// Lhotse's streaming_shuffle: the order in which rows 0, 1, ..., n-1 leave a shuffle buffer of `buffer_size` rows,
/// with random.Random(seed).
std::vector<std::uint32_t> streaming_shuffle(std::uint32_t n, std::size_t buffer_size, std::uint64_t seed) {
  rng::PythonRandom random(seed);
  std::vector<std::uint32_t> out, buffer;
  out.reserve(n);
  bool filling = true;
  for (std::uint32_t row = 0; row < n; ++row) {
    std::uint32_t sample = row;
    if (buffer.size() < buffer_size && row + 1 < n)
      buffer.push_back(++row);  // Lhotse reads a second row in the same step
    if (!buffer.empty()) std::swap(sample, buffer[random.randrange(buffer.size())]);
    filling = filling && buffer.size() < buffer_size;
    (filling ? buffer : out).push_back(sample);
  }
  out.insert(out.end(), buffer.begin(), buffer.end());
  return out;
}

/// The seed that random.seed() makes from a Python integer: its absolute value. A seed of 2^63 or more stands for the
/// negative number that it is modulo 2^64.
std::uint64_t python_seed(std::uint64_t seed) { return seed >> 63U == 0 ? seed : ~seed + 1; }

/// The seed of an epoch: --seed plus the epoch that the script passed to set_epoch (0 with `no-set-epoch`), then as
/// python_seed().
std::uint64_t epoch_seed(const BatchPolicy& policy, std::uint64_t epoch) {
  return python_seed(policy.seed.value_or(0) + (policy.options.has(kNoSetEpoch.name) ? 0 : epoch));
}

/// Sampler::assumes of all Lhotse samplers.
std::string assumes(const BatchPolicy& policy) {
  std::string text = "the order holds for a sampler in the training process (map-style dataset) with an integer seed";
  if (policy.options.has(kShuffle.name) && !policy.options.has(kNoSetEpoch.name))
    text += ", if the script calls sampler.set_epoch(epoch) before every epoch; if it does not, pass `no-set-epoch`";
  if (policy.batch_size > 0) text += "; `batch_size` has no part in it (`max-cuts` has)";
  return text;
}

}  // namespace lhotse

// --- lhotse.dataset.SimpleCutSampler and DynamicCutSampler: one cut after the other until a batch is full.

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

// --- lhotse.dataset.DynamicBucketingSampler: a buffer of cuts in buckets of like durations, a batch from one bucket at
// a time (lhotse/dataset/sampling/dynamic_bucketing.py). All ranks choose the same bucket since Lhotse 1.24.

constexpr std::uint64_t kSeedOfBucketChoice = 1234;

/// estimate_duration_buckets: bounds between buckets of about the same total duration, ascending seconds, from the
/// first `num-cuts-for-bins-estimate` cuts. Throws ParameterError for fewer than 2 buckets or fewer cuts than buckets.
std::vector<double> estimated_bins(const std::vector<double>& seconds, const OptionValues& options) {
  const std::uint64_t buckets = options.count_or("num-buckets", 10);
  const std::size_t seen = std::min<std::size_t>(seconds.size(), options.count_or("num-cuts-for-bins-estimate", 10000));
  if (buckets < 2)
    throw ParameterError("num-buckets", "must be 2 or more", "without buckets: `sampler` lhotse-dynamic");
  if (buckets > seen)
    throw ParameterError("num-buckets",
                         fmt::format("{} is more than the {} cuts that they are estimated from", buckets, seen));
  std::vector<double> sizes(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seen));
  std::sort(sizes.begin(), sizes.end());
  const double size_per_bucket = numpy_sum(sizes) / static_cast<double>(buckets);
  std::vector<double> bins;
  double total = 0;
  for (const double size : sizes) {
    if (total > size_per_bucket) {
      bins.push_back(size);
      total = 0;
    }
    total += size;
  }
  return bins;
}

/// Reads ascending seconds of 0 or more, with commas between them; neighbours may be equal. Throws ParameterError for
/// any other text.
std::vector<double> given_bins(std::string_view text) {
  std::vector<double> bins;
  const char* begin = text.data();
  const char* const end = begin + text.size();
  for (;;) {
    double bin = 0;
    const auto [rest, error] = std::from_chars(begin, end, bin);
    if (error != std::errc{} || !(bin >= 0) || (rest != end && *rest != ',') || (!bins.empty() && bin < bins.back()))
      throw ParameterError("duration-bins", fmt::format(": '{}' is not a list of ascending seconds", text),
                           "for example 4,8.5,12");
    bins.push_back(bin);
    if (rest == end) return bins;
    begin = rest + 1;
  }
}

/// BucketSelectionState: one draw for `world_size` batches, so that all ranks get the same bucket.
class BucketSelectionState {
 public:
  BucketSelectionState(std::size_t buckets, std::uint64_t world_size) : buckets_(buckets), world_size_(world_size) {}

  /// The first suitable bucket, from the drawn one outwards: one below, one above, two below, ...; nothing if none is.
  template <class Predicate>
  std::optional<std::size_t> scan(Predicate will_do) {
    auto bucket = static_cast<std::int64_t>(draw());
    const auto count = static_cast<std::int64_t>(buckets_);
    std::int64_t lowest = bucket, highest = bucket;
    for (std::int64_t step = 1;; ++step) {
      if (bucket >= 0 && bucket < count && will_do(static_cast<std::size_t>(bucket)))
        return static_cast<std::size_t>(bucket);
      if (lowest < 0 && highest >= count) return std::nullopt;
      bucket += step % 2 == 0 ? step : -step;
      lowest = std::min(lowest, bucket);
      highest = std::max(highest, bucket);
    }
  }

 private:
  /// The drawn bucket, which stays the same for `world_size` calls.
  std::uint64_t draw() {
    if (batches_since_draw_ == world_size_) {
      drawn_ = random_.randrange(buckets_);
      batches_since_draw_ = 0;
    }
    ++batches_since_draw_;
    return drawn_;
  }

  std::size_t buckets_;
  std::uint64_t world_size_;
  std::uint64_t batches_since_draw_ = world_size_;  // so that the first batch draws
  std::uint64_t drawn_ = 0;
  rng::PythonRandom random_{kSeedOfBucketChoice};
};

/// DynamicBucketer: one epoch.
class DynamicBucketer {
 public:
  /// Fills the buckets with the first `buffer-size` cuts.
  DynamicBucketer(const std::vector<double>& seconds, const std::vector<double>& bins, const BatchPolicy& policy,
                  std::uint64_t epoch)
      : seconds_(seconds),
        bins_(bins),
        constraint_(policy.options),
        shuffle_(policy.options.has("shuffle")),
        sync_buckets_(!policy.options.has("no-sync-buckets")),
        drop_last_(policy.drop_last),
        buckets_(bins.size() + 1),
        random_(lhotse::epoch_seed(policy, epoch)),
        choice_(buckets_.size(), policy.world_size) {
    collect(policy.options.count_or("buffer-size", 20000));
  }

  /// Replaces `batch` by the next batch of the epoch, and reads as many cuts into the buckets as it took. False, with
  /// an empty batch, from the end of the epoch on.
  bool next(Rows& batch) {
    batch.clear();
    if (done_) return false;
    const auto bucket = sync_buckets_ ? choose_synchronised() : choose_independently();
    if (bucket) take(buckets_[*bucket], batch);
    done_ = batch.empty();
    collect(batch.size());
    return !done_;
  }

 private:
  /// Reads that many cuts into their buckets. A cut as long as a bound belongs to the bucket below it.
  void collect(std::size_t cuts) {
    for (; cuts > 0 && cuts_read_ < seconds_.size(); --cuts, ++cuts_read_) {
      const auto bin = std::lower_bound(bins_.begin(), bins_.end(), seconds_[cuts_read_]);
      buckets_[static_cast<std::size_t>(bin - bins_.begin())].push_back(static_cast<std::uint32_t>(cuts_read_));
    }
  }

  /// Whether the bucket has enough cuts for a full batch: in their order, they come close to a limit.
  bool is_ready(const Rows& bucket) {
    constraint_.reset();
    for (const std::uint32_t row : bucket) {
      constraint_.add(seconds_[row]);
      if (constraint_.close_to_exceeding()) return true;
    }
    return false;
  }

  /// The first ready bucket, from the drawn one outwards. If none is ready: nothing with drop_last, else the first
  /// bucket that is not empty, from the same draw outwards; nothing if all are empty.
  std::optional<std::size_t> choose_synchronised() {
    const BucketSelectionState before = choice_;
    const auto ready = choice_.scan([&](std::size_t b) { return is_ready(buckets_[b]); });
    if (ready || drop_last_) return ready;
    choice_ = before;
    return choice_.scan([&](std::size_t b) { return !buckets_[b].empty(); });
  }

  /// A random one of the ready buckets. If no bucket is ready: nothing with drop_last, else Lhotse draws among all of
  /// them, also empty ones (a Python Queue is always true), and an empty one ends the epoch.
  std::optional<std::size_t> choose_independently() {
    std::vector<std::size_t> candidates;
    for (std::size_t b = 0; b < buckets_.size(); ++b)
      if (is_ready(buckets_[b])) candidates.push_back(b);
    if (!candidates.empty()) return candidates[random_.randrange(candidates.size())];
    if (drop_last_) return std::nullopt;
    return random_.randrange(buckets_.size());
  }

  /// Moves cuts from `bucket` to `batch`, in random order with `shuffle`, else from the front, until the batch is close
  /// to a limit or the bucket is empty.
  void take(Rows& bucket, Rows& batch) {
    places_.resize(bucket.size());
    std::iota(places_.begin(), places_.end(), 0U);
    if (shuffle_) random_.shuffle(std::span(places_));
    constraint_.reset();
    for (const std::uint32_t place : places_) {
      batch.push_back(bucket[place]);
      constraint_.add(seconds_[bucket[place]]);
      if (constraint_.close_to_exceeding()) break;
    }
    places_.resize(batch.size());
    remove_places(bucket);
  }

  /// Removes the cuts at `places_` from `bucket`, and leaves the others in their order.
  void remove_places(Rows& bucket) {
    std::sort(places_.begin(), places_.end());
    const auto at = [&](std::size_t place) { return bucket.begin() + static_cast<std::ptrdiff_t>(place); };
    auto end = at(places_.empty() ? bucket.size() : places_.front());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const std::size_t next = i + 1 < places_.size() ? places_[i + 1] : bucket.size();
      end = std::copy(at(places_[i] + 1), at(next), end);
    }
    bucket.erase(end, bucket.end());
  }

  const std::vector<double>& seconds_;
  const std::vector<double>& bins_;
  lhotse::TimeConstraint constraint_;
  bool shuffle_, sync_buckets_, drop_last_;
  std::vector<Rows> buckets_;
  std::vector<std::uint32_t> places_;  ///< in the bucket, of the batch that is taken: kept for its memory
  rng::PythonRandom random_;
  BucketSelectionState choice_;
  std::size_t cuts_read_ = 0;
  bool done_ = false;
};

void run_bucketing(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const auto given = policy.options.text("duration-bins");
  const std::vector<double> bins = given ? given_bins(*given) : estimated_bins(lengths.seconds, policy.options);
  for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e) {
    DynamicBucketer bucketer(lengths.seconds, bins, policy, e);
    lhotse::run_epoch([&](Rows& batch) { return bucketer.next(batch); }, policy, e, sink);
  }
}

std::string assumes_bucketing(const BatchPolicy& policy) {
  return lhotse::assumes(policy) + "; with concurrent=True the order is not predictable";
}

constexpr std::array kLhotseBucketingOptions{
    lhotse::kMaxDuration,
    lhotse::kMaxCuts,
    lhotse::kQuadraticDuration,
    lhotse::kShuffle,
    OptionSpec{"num-buckets", Kind::count, "10", "buckets of about the same total duration"},
    OptionSpec{"duration-bins", Kind::text, "", "seconds between the buckets, ascending, instead of `num-buckets`"},
    OptionSpec{"num-cuts-for-bins-estimate", Kind::count, "10000",
               "cuts, from the first on, that the buckets are estimated from"},
    OptionSpec{"buffer-size", Kind::count, "20000", "cuts in all buckets together"},
    OptionSpec{"no-sync-buckets", Kind::flag, "", "sync_buckets=False; also for Lhotse before 1.24"},
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

const Sampler kLhotseBucketing{.name = "lhotse-bucketing",
                               .summary = "Lhotse's DynamicBucketingSampler",
                               .checked_against = "Lhotse itself, also a whole epoch of LibriSpeech",
                               .example = ":max-duration=200,num-buckets=10,shuffle `seed` 1",
                               .options = kLhotseBucketingOptions,
                               .run = run_bucketing,
                               .assumes = assumes_bucketing,
                               .needs_seconds = true,
                               .needs_batch_size = false,
                               .resuming = {.same_batches = true, .about = lhotse::kResumes}};

}  // namespace seqpoint::batching::frameworks
