/// \file
/// What lengths and batches tell before anything runs: padding, waiting of ranks, and bounds of buckets that pad
/// least.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/lengths/lengths.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::forecast {

// --- Bounds that lengths are padded up to, so that there are few shapes.

/// How many sequences have one length.
struct LengthCount {
  std::uint32_t length = 0;     ///< tokens or frames
  std::uint64_t sequences = 0;  ///< above 0
};
/// A histogram of lengths: ascending by length, each once.
using LengthCounts = std::vector<LengthCount>;

/// The padded lengths of a run's batches in one of its dimensions, with the sequences of one rank. Not of runs without
/// padding.
LengthCounts lengths_of_batches(const trace::RunSummary&, trace::Dimension);
/// The lengths of one side of a data set, counted.
LengthCounts lengths_of_samples(std::span<const std::uint32_t>);

/// The tokens (or frames) if no length were padded.
std::uint64_t tokens_of(std::span<const LengthCount>);

/// Bounds to pad lengths up to, and what that costs. A length is padded to the smallest bound that is not below it.
struct Bounds {
  std::vector<std::uint64_t> upper;  ///< ascending; the last is no less than the longest length
  std::uint64_t tokens = 0;          ///< with that padding
};

/// The `most` bounds with the fewest tokens; fewer where there are fewer lengths. Of equally good ones, those whose
/// last bound but one is the smallest, then the one before that, and so on. `most` >= 1.
///
/// Dynamic programming over the lengths, each number of bounds from the one before by divide and conquer: the best
/// place of the bound before never moves down as lengths grow (the padding of a range of lengths has the Monge
/// property). O(most n log n) time, O(most n) memory for n lengths.
Bounds best_bounds(std::span<const LengthCount>, std::uint64_t most);

/// The bounds that some length needs, of 1, 2, 4, 8, ...
Bounds powers_of_two(std::span<const LengthCount>);
/// The bounds that some length needs, of 0, m, 2 m, ...; m >= 1.
Bounds multiples_of(std::uint64_t m, std::span<const LengthCount>);

/// What of a run is padded.
enum class Padded {
  batches,  ///< its batches, as they are: each up to a bound, so that few shapes are compiled
  samples   ///< each sample by itself, as a sampler of buckets may at worst; of a pair the longer side
};

/// Ways to bound lengths, side by side.
struct BoundsComparison {
  Padded padded = Padded::batches;                         ///< what is padded
  trace::Dimension dimension = trace::Dimension::src_len;  ///< of batches
  std::uint64_t tokens = 0;                                ///< without bounds
  Bounds best,                                             ///< the asked number of them with the fewest tokens
      powers_of_two,                                       ///< those that some length needs
      multiples_of_64;                                     ///< those that some length needs
  /// The longest duration of a sample, in seconds, within each of the best bounds. Empty: not known.
  std::vector<double> seconds;
};

/// Compares ways to bound lengths with `most` bounds, >= 1: of the batches in each dimension of a length and, where
/// there is a data set, of its samples (null: there is none). Not of runs without padding.
std::vector<BoundsComparison> compare_bounds(const trace::RunSummary&, const lengths::Lengths*, std::uint64_t most);

// --- What the batches of a run tell before anything runs.

/// How long an epoch is.
struct EpochSteps {
  std::uint64_t iterations = 0,                                            ///< forward and backward passes
      optimiser_steps = 0;                                                 ///< updates of the weights
  std::uint64_t last_step = 0;                                             ///< iterations of its last optimiser step
  friend bool operator==(const EpochSteps&, const EpochSteps&) = default;  ///< member by member
};

/// What of a data set the run's batches hold, over all epochs and ranks; tokens are unpadded, of both sides. Of a run
/// that is resumed: over the epochs that it is in, with what ran of them before; but sums of squares are of what still
/// runs.
struct DatasetUse {
  std::uint64_t samples = 0,          ///< of the data set, once an epoch
      tokens = 0;                     ///< of these samples
  std::uint64_t left_out = 0;         ///< samples that are in no batch of an epoch
  std::uint64_t tokens_left_out = 0;  ///< of these samples
  std::uint64_t repeated = 0;         ///< times that a sample is in one more batch of an epoch, or a piece of it
  std::uint64_t tokens_cut = 0;       ///< that samples have more than their batches
  std::uint64_t tokens_repeated = 0;  ///< that batches have more than their samples
  double sq_tokens = 0;               ///< sum of the squared unpadded lengths
  double padded_sq_tokens = 0;        ///< the same of padded lengths; without padding: of unpadded ones
};

/// Walks the run and counts. Takes one bit of memory for each sample. Throws as trace::for_each_iteration().
DatasetUse use_of(const lengths::Lengths&, const batching::BatchPolicy&, const trace::SignatureRule&);

/// What ranks wait for the one with the most work, as shares of their time, were time as padded tokens.
struct Waiting {
  double share = 0;             ///< of the whole run
  double most = 0;              ///< of any iteration
  std::uint64_t iteration = 0;  ///< the first of which that is so, by the run's own numbers
};

/// A measure of the batch of the rank with the most work, and the iterations in which it was more than in all before:
/// where memory may run out.
struct Maximum {
  std::string measure;                 ///< `padded_tokens`, or the name of a dimension
  std::uint64_t most = 0;              ///< of the whole run
  std::vector<std::uint64_t> records;  ///< by the run's own numbers; the last has the most. Not empty
};

/// What the iterations of a run tell before anything runs.
struct Forecast {
  trace::RunSummary run;  ///< sums and histogram
  /// The first iteration of each signature of run.histogram, in its order, by the run's own numbers.
  std::vector<std::uint64_t> first_seen;
  std::vector<EpochSteps> epochs;        ///< in their order
  std::uint64_t accumulation = 1;        ///< the most iterations of an optimiser step
  std::vector<Maximum> maxima;           ///< of padded tokens, and of each dimension
  std::optional<Waiting> waiting;        ///< nothing: one rank, or the trace does not say
  std::optional<DatasetUse> use;         ///< nothing: not known of a trace
  std::vector<BoundsComparison> bounds;  ///< empty: not asked for
  /// Sum of the squared unpadded lengths over all ranks; nothing: the trace does not say.
  std::optional<double> sq_tokens,
      padded_sq_tokens;  ///< the same of padded lengths
};

/// Forecasts a run, of at least one iteration. `use` is that of the trace's data set, from use_of(); nothing: it is not
/// at hand.
Forecast forecast(const trace::Trace&, const std::optional<DatasetUse>& use = {});

/// The iteration, by the run's own numbers, by which `share` of the distinct signatures have been seen; above 0 and up
/// to 1.
std::uint64_t seen_by(const Forecast&, double share);

}  // namespace seqpoint::forecast
