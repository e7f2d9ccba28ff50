/// \file
/// Bounds that lengths are padded up to, so that there are few shapes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "seqpoint/lengths/lengths.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::forecast {

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

/// Seconds of one iteration of each signature.
using SecondsBySignature = std::map<trace::Signature, double>;

/// Every length of the run with the batch sizes of lengths up to it: all that its batches can be padded up to.
/// Ascending by signature; counts are 1. Of runs with padding and one length.
std::vector<trace::SignatureCount> signatures_padded_up(const trace::RunSummary&);

/// At most `most` bounds, or any number of them, such that the iterations of the run's batches, padded up to them, and
/// `compile_s` for each signature that is then left take the least time together. Of equally good ones, where `most` is
/// given, the fewest. `seconds` has every signature of signatures_padded_up. `most` >= 1.
///
/// Dynamic programming over the lengths, which assumes nothing of how seconds grow: O(n (G + most n)) for n lengths in
/// G signatures.
Bounds fastest_bounds(const trace::RunSummary&, const SecondsBySignature& seconds, double compile_s,
                      std::optional<std::uint64_t> most);

/// The run with its batches' lengths padded up to bounds, ascending, of which the last is no less than the longest.
/// RunSummary::padded_tokens stay those of the run.
trace::RunSummary padded_up(const trace::RunSummary&, std::span<const std::uint64_t> upper);

/// What of a run is padded.
enum class Padded {
  batches,  ///< its batches, as they are: each up to a bound, so that few shapes are compiled
  samples   ///< each sample by itself, as a sampler of buckets may at worst; of a pair the longer side
};

/// How many samples of one length are a batch that fits into memory.
struct LargestBatch {
  std::uint64_t size = 0,  ///< by the upper end of the interval of what it needs; 0: not even one sample
      likely = 0;          ///< by what is predicted
  double needed = 0,       ///< what is predicted of a batch of `size`
      half_width = 0,      ///< of its interval of 95 %
      beyond = 0;          ///< its farthest distance from what was measured, as a share of the measured range
};

/// Ways to bound lengths, side by side.
struct BoundsComparison {
  Padded padded = Padded::batches;                         ///< what is padded
  trace::Dimension dimension = trace::Dimension::src_len;  ///< of batches
  std::uint64_t tokens = 0;                                ///< without bounds
  Bounds best,                                             ///< the asked number of them with the fewest tokens
      powers_of_two,                                       ///< those that some length needs
      multiples_of_64;                                     ///< those that some length needs
  std::optional<Bounds> fastest{};  ///< of batches: those of the least time; nothing: times are not known
  /// The longest duration of a sample, in seconds, within each of the best bounds. Empty: not known.
  std::vector<double> seconds;
  std::vector<LargestBatch> largest{};  ///< of samples: by best bound; empty: not asked for
};

/// Compares ways to bound lengths with `most` bounds, >= 1: of the batches in each dimension of a length and, where
/// there is a data set, of its samples (null: there is none). `fastest` is left empty. Not of runs without padding.
std::vector<BoundsComparison> compare_bounds(const trace::RunSummary&, const lengths::Lengths*, std::uint64_t most);

}  // namespace seqpoint::forecast
