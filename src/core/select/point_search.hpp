/// \file
/// Which shapes to measure: the set with the smallest expected squared error for a number of points.
#pragma once

#include <cstdint>

#include "core/select/point_weights.hpp"

namespace seqpoint::select {

/// The best set of points that was found.
struct FoundPoints {
  WeightedPoints points;       ///< without points of weight 0
  std::uint64_t restarts = 0;  ///< restarts of the search
  bool cut_short = false;      ///< whether the limit on work prevented restarts or exchanges
};

/// That many points (fewer if the run has fewer shapes) with the smallest V that greedy choice and exchange find:
/// greedy choice adds the point that lowers V most; exchange replaces one point by the best, until nothing improves;
/// each restart replaces two points of the best set at random and exchanges again. Ties go to the shape that comes
/// first. Deterministic: the same model and number give the same points. If every shape is a point, its weight is
/// its share of the iterations.
FoundPoints find_points(const CostModel& model, std::uint64_t points);

/// The best non-negative weights of given points; leaves out points whose weight is negligible.
FoundPoints weigh_points(const CostModel& model, const GroupIndices& groups);

}  // namespace seqpoint::select
