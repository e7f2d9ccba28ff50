/// \file
/// How often to measure points, what a budget buys, and how far off the projection is then expected to be.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/select/point_search.hpp"
#include "seqpoint/select/selection.hpp"

namespace seqpoint::select {

/// As often as a point may be measured: by then its mean is a hundred times less noisy than one measurement.
inline constexpr std::uint64_t kMostRepeats = 10'000;
/// Measurements a point, where nothing else is asked for.
inline constexpr std::uint64_t kUsualRepeats = 3;
/// Points, where their number is not asked for: at most.
inline constexpr std::uint64_t kMostPoints = 64;

/// Of weights v of these signatures, each measured so often: at different iterations as long as a selection names some.
/// Infinite noise with a single point, or more than kMostFittedPoints.
ExpectedError expected_error(const CostModel& model, const GroupIndices& groups, const Eigen::VectorXd& weights,
                             const std::vector<std::uint64_t>& repeats);

/// A point that measurements are to be shared out over.
struct MeasurablePoint {
  double cost_share = 0;                  ///< its share of the cost: weight x size, in any unit
  double price = 1;                       ///< of one measurement, > 0
  std::uint64_t distinct_iterations = 1;  ///< of its signature that can be measured, >= 1
};

/// Of points that were just chosen. `prices`: of one measurement of every signature of the model; empty: 1 each.
std::vector<MeasurablePoint> measurable_points(const CostModel& model, const WeightedPoints& points,
                                               std::span<const double> prices);

/// One measurement each, then one more where the expected squared error falls most per price, the first of equals,
/// while the budget lasts; at most kMostRepeats a point (Neyman 1934). Nothing where one each is too much.
std::optional<std::vector<std::uint64_t>> allocate_measurements(const ModelConstants& constants,
                                                                std::span<const MeasurablePoint> points, double budget);

/// The points that a budget is best spent on. Measurements are bought one by one where V falls most per price: of a new
/// signature, or of one more iteration of a point. As many points as that gives are then looked for as find_points
/// does, and taken where the budget buys them and V is less. `prices`: as above, not empty.
FoundPoints points_for_budget(const CostModel& model, std::span<const double> prices, double budget,
                              std::uint64_t seed = 0);

}  // namespace seqpoint::select
