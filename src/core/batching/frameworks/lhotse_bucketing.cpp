// lhotse.dataset.DynamicBucketingSampler: a buffer of cuts in buckets of like durations, a batch from one bucket at a
// time (lhotse/dataset/sampling/dynamic_bucketing.py). All ranks choose the same bucket since Lhotse 1.24.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/lhotse_constraints.hpp"
#include "core/numbers.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

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

using Kind = OptionSpec::Kind;
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
