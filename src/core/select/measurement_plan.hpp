/// \file
/// How often to measure points, which points a budget buys, and the expected error of the projection.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/select/point_search.hpp"
#include "seqpoint/select/selection.hpp"

namespace seqpoint::select {

/// Most measurements of one point: the noise of their mean is a hundredth of that of one measurement.
inline constexpr std::uint64_t kMostRepeats = 10'000;
/// Measurements per point on average, where there is no budget.
inline constexpr std::uint64_t kUsualRepeats = 3;
/// Most points where their number is not given.
inline constexpr std::uint64_t kMostPoints = 64;

/// The expected error with these weights of these signatures, each measured `repeats` times, at different iterations as
/// long as a selection names some. Infinite noise with a single point, or more than kMostFittedPoints.
ExpectedError expected_error(const CostModel& model, const GroupIndices& groups, const Eigen::VectorXd& weights,
                             const std::vector<std::uint64_t>& repeats);

/// A point that measurements are allocated to.
struct MeasurablePoint {
  double cost_share = 0;                  ///< its share of the cost: weight x size, in any unit
  double price = 1;                       ///< of one measurement, > 0
  std::uint64_t distinct_iterations = 1;  ///< that can be measured, >= 1
};

/// Of points of the model. `prices`: of one measurement of every signature of the model; empty: 1 each.
std::vector<MeasurablePoint> measurable_points(const CostModel& model, const WeightedPoints& points,
                                               std::span<const double> prices);

/// Repeats of each point: `least`, then one more where the expected squared error falls most per price (the first of
/// equals), while the budget lasts; at most kMostRepeats (Neyman 1934). Nothing where the budget does not buy
/// `least` for each.
std::optional<std::vector<std::uint64_t>> allocate_measurements(const ModelConstants& constants,
                                                                std::span<const MeasurablePoint> points, double budget,
                                                                std::uint64_t least = 1);

/// The points for a budget. Signatures are bought one by one where V falls most per price; of their numbers the one is
/// kept that has the least V once the rest of the budget buys repeats. find_points then looks for as many points, and
/// those are taken if the budget buys them and their V is less. `prices`: as above, not empty.
FoundPoints points_for_budget(const CostModel& model, std::span<const double> prices, double budget,
                              std::uint64_t seed = 0);

}  // namespace seqpoint::select
