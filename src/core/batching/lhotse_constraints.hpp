/// \file
/// Shared by Lhotse's samplers: when a batch is full, and which rank gets it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/batching/batches.hpp"

namespace seqpoint::batching::lhotse {

/// lhotse.dataset.sampling.base.TimeConstraint: the limits of a batch.
class TimeConstraint {
 public:
  /// Reads `max-duration`, `max-cuts` and `quadratic-duration`. Throws ParameterError for 0, and if neither of the
  /// first two is set.
  explicit TimeConstraint(const OptionValues& options);

  /// Begins an empty batch.
  void reset();
  /// Adds a cut. With `quadratic-duration` Q, a cut of d seconds counts as d + d^2 / Q.
  void add(double seconds);
  /// Whether the batch exceeds a limit: more cuts than `max-cuts`, or cuts times the longest above `max-duration`.
  bool exceeded() const;
  /// Whether the batch would exceed a limit with one more cut as long as its longest.
  bool close_to_exceeding() const;

 private:
  std::optional<double> max_duration_;  ///< seconds, padded to the longest cut
  std::optional<std::uint64_t> max_cuts_;
  std::optional<double> quadratic_duration_;
  std::uint64_t cuts_ = 0;
  double longest_ = 0;
};

/// Replaces its argument by the next batch of the epoch; false, from then on always, if there is none.
using NextBatch = std::function<bool(Rows&)>;

/// Sends the micro-batches of one epoch. CutSampler.__next__: a micro-batch is the next `world_size` batches, one for
/// each rank. With drop_last an incomplete last round is dropped; else its cuts are split evenly over the ranks, and
/// repeated if there are fewer cuts than ranks.
void run_epoch(const NextBatch& next, const BatchPolicy& policy, std::uint64_t epoch, const MicroBatchSink& sink);

/// Lhotse's streaming_shuffle: the order in which rows 0, 1, ..., n-1 leave a shuffle buffer of `buffer_size` rows,
/// with random.Random(seed).
std::vector<std::uint32_t> streaming_shuffle(std::uint32_t n, std::size_t buffer_size, std::uint64_t seed);

/// The seed of an epoch: --seed plus the epoch that the script passed to set_epoch (0 with `no-set-epoch`), then as
/// python_seed().
std::uint64_t epoch_seed(const BatchPolicy& policy, std::uint64_t epoch);

/// Sampler::assumes of all Lhotse samplers.
std::string assumes(const BatchPolicy& policy);

/// A sampler's state counts the batches that it has drawn, including those that workers prefetched.
inline constexpr std::string_view kResumes =
    "each rank's sampler saved its state_dict, and no worker had fetched ahead";

using Kind = OptionSpec::Kind;
inline constexpr OptionSpec kMaxDuration{"max-duration", Kind::number, "", "seconds a batch may hold, padded"};
inline constexpr OptionSpec kMaxCuts{"max-cuts", Kind::count, "", "cuts a batch may hold"};
inline constexpr OptionSpec kQuadraticDuration{"quadratic-duration", Kind::number, "",
                                               "a cut of this many seconds counts twice (TimeConstraint)"};
inline constexpr OptionSpec kShuffle{"shuffle", Kind::flag, "", "shuffle=True"};
inline constexpr OptionSpec kNoSetEpoch{"no-set-epoch", Kind::flag, "", "the script never calls sampler.set_epoch"};

}  // namespace seqpoint::batching::lhotse
