/// \file
/// Bounds that lengths are padded up to, so that there are few shapes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "seqpoint/lengths/lengths.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::forecast {

/// Sequences of one length.
struct LengthCount {
  std::uint32_t length = 0;
  std::uint64_t sequences = 0;  ///< above 0
};
/// Ascending by length, each once.
using LengthCounts = std::vector<LengthCount>;

/// The padded lengths of a run's batches in one of its dimensions, with the sequences of one rank. Not of runs without
/// padding.
LengthCounts lengths_of_batches(const trace::RunSummary&, trace::Dimension);
/// The lengths of one side of a data set.
LengthCounts lengths_of_samples(std::span<const std::uint32_t>);

/// The tokens if no length were padded.
std::uint64_t tokens_of(std::span<const LengthCount>);

/// Lengths up to and with a bound, from the one before it on, are padded to it.
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

/// Those that some length needs, of 1, 2, 4, 8, ...
Bounds powers_of_two(std::span<const LengthCount>);
/// The same of 0, m, 2 m, ...
Bounds multiples_of(std::uint64_t m, std::span<const LengthCount>);

/// What of a run is padded.
enum class Padded {
  batches,  ///< its batches, as they are: each up to a bound, so that few shapes are compiled
  samples   ///< each sample by itself, as a sampler of buckets may at worst; of a pair the longer side
};

/// Ways to bound lengths, side by side.
struct BoundsComparison {
  Padded padded = Padded::batches;
  trace::Dimension dimension = trace::Dimension::src_len;  ///< of batches
  std::uint64_t tokens = 0;                                ///< without bounds
  Bounds best, powers_of_two, multiples_of_64;
  std::vector<double> seconds;  ///< the longest duration within each of the best bounds; empty: not known
};

/// With `most` bounds, of the batches in each dimension of a length and, where there is a data set, of its samples. Not
/// of runs without padding.
std::vector<BoundsComparison> compare_bounds(const trace::RunSummary&, const lengths::Lengths*, std::uint64_t most);

}  // namespace seqpoint::forecast
