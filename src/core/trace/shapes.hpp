/// \file
/// Shapes beside each other: their order, their distance, and those that each rank of a run meets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

// --- The iterations of a run, sorted by shape

/// Positions of a run's iterations, ascending by shape (dimension by dimension); ties in the order of iterations.
std::vector<std::size_t> positions_by_shape(const Trace& run);

/// Positions of a run's iterations, ascending by the value of length_dimension(); ties in the order of iterations.
std::vector<std::size_t> positions_by_length(const Trace& run);

// --- Distance between two shapes

/// The sum over all dimensions of the difference as a share of the larger value, each 0 to 1: 0 for equal shapes.
double relative_distance(const Shape&, const Shape&);

// --- The shapes that each rank of a run meets

/// The part of a shape that a tensor has: everything but the sum of squares.
Shape sizes_of(Shape);

/// Counts the shapes of ranks, iteration by iteration.
class RankShapeCounter {
 public:
  /// Adds an iteration: its number, above that of the one before, and the shapes of all ranks. Every iteration has as
  /// many ranks.
  void add(std::uint64_t iteration, std::span<const Shape> ranks);
  /// The shapes so far. Without iterations all are empty.
  RankShapes finish() &&;

 private:
  std::map<Shape, std::size_t> numbers_;  ///< of the distinct shapes, in order of appearance
  std::vector<std::vector<bool>> seen_;   ///< by rank, then by number: whether the rank has met the shape
  RankShapes shapes_;
};

/// The range over ranks, and the totals. Requires at least one rank.
RankShapeCounts counts_of(const RankShapes&);

}  // namespace seqpoint::trace
