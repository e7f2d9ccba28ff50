#include "core/select/measurement_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "core/rounding.hpp"
#include "core/select/conditioned_run.hpp"
#include "core/select/point_fit.hpp"

namespace seqpoint::select {
namespace {

constexpr double kRoundingOfPrices = 1e-9;  // of prices that add up to the budget

MeasurablePoint measurable_point(const CostModel& model, std::size_t group, double weight, double price) {
  const auto iterations = static_cast<std::uint64_t>(model.signatures().counts[group]);
  return {.cost_share = weight * model.signatures().relative_size[group],
          .price = price,
          .distinct_iterations = std::min(iterations, std::uint64_t{Point::kMaxOccurrences})};
}

/// What the disturbance of a point adds to the expected squared error, measured at different iterations as long as
/// there are some.
double variance_contribution(const ModelConstants& constants, const MeasurablePoint& point, std::uint64_t repeats) {
  const auto iterations = static_cast<double>(point.distinct_iterations);
  return point.cost_share * point.cost_share * constants.disturbance_variance(iterations, static_cast<double>(repeats));
}

/// V of weighted points with the repeats that the budget allows; infinite where it does not buy one of each.
double variance_with_budget(const CostModel& model, const WeightedPoints& points, std::span<const double> prices,
                            double budget) {
  const std::vector<MeasurablePoint> shared = measurable_points(model, points, prices);
  const auto repeats = allocate_measurements(model.constants(), shared, budget);
  if (!repeats) return std::numeric_limits<double>::infinity();
  double variance = points.variance;
  for (std::size_t p = 0; p < shared.size(); ++p)
    variance += variance_contribution(model.constants(), shared[p], (*repeats)[p]) -
                variance_contribution(model.constants(), shared[p], 1);
  return variance;
}

/// Of the signatures that lower V most per price, bought one by one, the first ones with the least V.
GroupIndices greedy_points(const CostModel& model, std::span<const double> prices, double budget) {
  ConditionedRun run(model);
  GroupIndices best;
  double left = budget * (1 + kRoundingOfPrices), least = std::numeric_limits<double>::infinity();
  while (run.points().size() < kMostPoints) {
    std::size_t bought = model.size();
    double gain = 0;
    for (std::size_t g = 0; g < model.size(); ++g)
      if (!run.has(g) && prices[g] <= left && run.variance_reduction(g) / prices[g] > gain)
        gain = run.variance_reduction(g) / prices[bought = g];
    if (bought == model.size()) break;
    run.add(bought);
    left -= prices[bought];
    const double variance = variance_with_budget(model, WeightProblem(model, run.points()).solve(), prices, budget);
    if (!(variance < least)) continue;
    least = variance;
    best = run.points();
  }
  return best;
}

}  // namespace

ExpectedError expected_error(const CostModel& model, const GroupIndices& groups, const Eigen::VectorXd& weights,
                             const std::vector<std::uint64_t>& repeats) {
  const ModelSignatures points = model.signatures().at(groups);
  const Eigen::RowVectorXd missed = weights.transpose() * points.possible_functions -
                                    model.shares().transpose() * model.signatures().possible_functions;
  const double shapes = missed.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(missed.size(), 1));
  ExpectedError error{std::numeric_limits<double>::infinity(), zero_if_rounding(std::sqrt(shapes))};
  if (groups.size() < 2 || groups.size() > kMostFittedPoints) return error;
  Eigen::VectorXd disturbance(groups.size());
  for (std::size_t p = 0; p < groups.size(); ++p)
    disturbance[p] = variance_contribution(model.constants(), measurable_point(model, groups[p], 1, 1), repeats[p]);
  const VarianceParts variance =
      PointFit(model, points, disturbance).variance(weights, target_covariances(model, model.signatures(), points));
  error.noise = std::sqrt(variance.measured + variance.own);
  error.representation = zero_if_rounding(std::sqrt(variance.between + variance.missed + shapes));
  return error;
}

std::vector<MeasurablePoint> measurable_points(const CostModel& model, const WeightedPoints& points,
                                               std::span<const double> prices) {
  std::vector<MeasurablePoint> found;
  for (std::size_t p = 0; p < points.groups.size(); ++p) {
    const std::size_t group = points.groups[p];
    found.push_back(measurable_point(model, group, points.weights[p], prices.empty() ? 1 : prices[group]));
  }
  return found;
}

std::optional<std::vector<std::uint64_t>> allocate_measurements(const ModelConstants& constants,
                                                                std::span<const MeasurablePoint> points, double budget,
                                                                std::uint64_t least) {
  double left = budget * (1 + kRoundingOfPrices);
  for (const MeasurablePoint& point : points) left -= point.price * static_cast<double>(least);
  if (left < 0) return std::nullopt;
  std::vector<std::uint64_t> repeats(points.size(), least);
  // By how much the next measurement of each point lowers the error per price, the first of equals on top.
  std::priority_queue<std::pair<double, std::ptrdiff_t>> gains;
  const auto queue = [&](std::size_t p) {
    const double fall = variance_contribution(constants, points[p], repeats[p]) -
                        variance_contribution(constants, points[p], repeats[p] + 1);
    if (repeats[p] < kMostRepeats) gains.emplace(fall / points[p].price, -static_cast<std::ptrdiff_t>(p));
  };
  for (std::size_t p = 0; p < points.size(); ++p) queue(p);
  while (!gains.empty()) {
    const auto p = static_cast<std::size_t>(-gains.top().second);
    gains.pop();
    if (points[p].price > left) continue;  // what is left only shrinks
    ++repeats[p];
    left -= points[p].price;
    queue(p);
  }
  return repeats;
}

FoundPoints points_for_budget(const CostModel& model, std::span<const double> prices, double budget,
                              std::uint64_t seed) {
  const GroupIndices bought = greedy_points(model, prices, budget);
  // A budget below every price: one point, whose price the error message names.
  FoundPoints found = find_points(model, std::max<std::size_t>(bought.size(), 1), seed);
  if (bought.empty()) return found;
  FoundPoints cheaper = weigh_points(model, bought);
  const auto variance = [&](const FoundPoints& one) { return variance_with_budget(model, one.points, prices, budget); };
  return variance(cheaper) < variance(found) ? cheaper : found;
}

}  // namespace seqpoint::select
