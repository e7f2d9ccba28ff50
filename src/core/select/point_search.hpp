/// \file
/// Which signatures to measure: the set of so many with the least expected squared error.
#pragma once

#include <cstdint>
#include <vector>

#include "core/select/point_weights.hpp"

namespace seqpoint::select {

/// The best set that was found, and how hard it was looked for.
struct FoundPoints {
  WeightedPoints points;                  ///< none of weight 0
  std::vector<GroupIndices> substitutes;  ///< of each point, the best first: those that raise V least in its place
  std::uint64_t restarts = 0;             ///< that were made
  bool cut_short = false;                 ///< whether the limit on work left out restarts, or exchanges
};

/// So many points (fewer where the run has fewer signatures) with the least V that greedy choice and exchange find:
/// greedy adds the point that lowers V most; exchange takes one out and puts the best in, until nothing improves; then
/// again from two points of the best set drawn anew. Ties go to the signature that comes first. Deterministic: the same
/// model, number and seed give the same points. Where every signature is a point, each weighs what it occurs.
FoundPoints find_points(const CostModel& model, std::uint64_t points, std::uint64_t seed = 0);

/// The same of points that were found otherwise: their weights and substitutes.
FoundPoints weigh_points(const CostModel& model, const GroupIndices& groups);

}  // namespace seqpoint::select
