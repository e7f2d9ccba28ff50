#include "core/select/measurement_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "core/select/conditioned_run.hpp"
#include "core/select/point_fit.hpp"

namespace seqpoint {
namespace {

/// Prices that add up to the budget exactly may seem to be a rounding more.
constexpr double kRoundingOfPrices = 1e-9;
/// Measurements that are bought one by one to find the number of points.
constexpr std::uint64_t kMostBought = 1000;

std::uint64_t measurable(const CostModel& model, std::size_t group) {
  return std::min<std::uint64_t>(model.histogram()[group].count, Point::kMaxOccurrences);
}

/// sigma^2 of a point that is measured so often, at different iterations as long as there are some.
double disturbance_of(const CostModel& model, std::uint64_t repeats, std::uint64_t iterations) {
  return model.relative_disturbance(static_cast<double>(std::min(repeats, iterations)), static_cast<double>(repeats));
}

}  // namespace

ExpectedError expected_error(const CostModel& model, std::span<const std::size_t> groups, const Eigen::VectorXd& weights,
                             std::span<const std::uint64_t> repeats) {
  const Eigen::RowVectorXd projected = weights.transpose() * model.possible()(std::vector<Eigen::Index>(groups.begin(), groups.end()), Eigen::all);
  const Eigen::RowVectorXd missed = projected - model.shares().transpose() * model.possible();
  ExpectedError error{std::numeric_limits<double>::infinity(), std::sqrt(missed.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(missed.size(), 1)))};
  if (groups.size() < 2 || groups.size() > kMostFittedPoints) return error;
  std::vector<FittedPoint> points;
  for (std::size_t p = 0; p < groups.size(); ++p) {
    const CostCoordinates& place = model.places()[groups[p]];
    points.push_back({place, model.free().row(static_cast<Eigen::Index>(groups[p])),
                      place.size * place.size * disturbance_of(model, repeats[p], measurable(model, groups[p]))});
  }
  const PointFit fit(model.jagged(), std::move(points));
  error.noise = model.constants().scale_median * std::sqrt(fit.variance(weights, own_run(model, groups)));
  return error;
}

std::vector<MeasurablePoint> measurable_points(const CostModel& model, const WeightedPoints& points, std::span<const double> prices) {
  std::vector<MeasurablePoint> found;
  for (std::size_t p = 0; p < points.groups.size(); ++p) {
    const std::size_t group = points.groups[p];
    found.push_back({points.weights[static_cast<Eigen::Index>(p)] * model.places()[group].size, prices.empty() ? 1 : prices[group], measurable(model, group)});
  }
  return found;
}

std::optional<std::vector<std::uint64_t>> share_out(const CostModel& model, std::span<const MeasurablePoint> points, double budget) {
  double left = budget * (1 + kRoundingOfPrices);
  for (const MeasurablePoint& point : points) left -= point.price;
  if (left < 0) return std::nullopt;
  std::vector<std::uint64_t> repeats(points.size(), 1);
  // What the next measurement of each point takes off per price, the first of equals on top.
  std::priority_queue<std::pair<double, std::ptrdiff_t>> gains;
  const auto queue = [&](std::size_t p) {
    const MeasurablePoint& point = points[p];
    const double less = disturbance_of(model, repeats[p], point.iterations) - disturbance_of(model, repeats[p] + 1, point.iterations);
    if (repeats[p] < kMostRepeats) gains.emplace(point.part * point.part * less / point.price, -static_cast<std::ptrdiff_t>(p));
  };
  for (std::size_t p = 0; p < points.size(); ++p) queue(p);
  while (!gains.empty()) {
    const auto p = static_cast<std::size_t>(-gains.top().second);
    gains.pop();
    if (points[p].price > left) continue;  // nor will it be affordable later
    ++repeats[p];
    left -= points[p].price;
    queue(p);
  }
  return repeats;
}

namespace {

/// The points of the best measurements one by one.
std::vector<std::size_t> bought_one_by_one(const CostModel& model, std::span<const double> prices, double budget) {
  ConditionedRun run(model);
  std::vector<std::uint64_t> repeats;
  double left = budget * (1 + kRoundingOfPrices);
  for (std::uint64_t bought = 0; bought < kMostBought; ++bought) {
    double best = 0;
    std::size_t fresh = model.size(), again = repeats.size();
    for (std::size_t g = 0; g < model.size() && run.points().size() < kMostPoints; ++g)
      if (!run.has(g) && prices[g] <= left && run.gain(g) / prices[g] > best) best = run.gain(g) / prices[fresh = g];
    double less = 0;
    for (std::size_t p = 0; p < repeats.size(); ++p) {
      const std::size_t group = run.points()[p];
      const std::uint64_t iterations = measurable(model, group);
      const double size = model.places()[group].size;
      const double fall = size * size * (disturbance_of(model, repeats[p], iterations) - disturbance_of(model, repeats[p] + 1, iterations));
      if (prices[group] > left || !(run.gain_of_less_disturbance(p, fall) / prices[group] > best)) continue;
      best = run.gain_of_less_disturbance(p, fall) / prices[group];
      again = p;
      less = fall;
    }
    if (again < repeats.size()) {
      ++repeats[again];
      left -= prices[run.points()[again]];
      run.lower_disturbance(again, less);
    } else if (fresh < model.size()) {
      left -= prices[fresh];
      run.add(fresh);
      repeats.push_back(1);
    } else {
      break;
    }
  }
  return run.points();
}

/// V of weighted points that the budget is shared out over; infinite where it does not buy them.
double variance_at(const CostModel& model, const WeightedPoints& points, std::span<const double> prices, double budget) {
  const std::vector<MeasurablePoint> shared = measurable_points(model, points, prices);
  const auto repeats = share_out(model, shared, budget);
  if (!repeats) return std::numeric_limits<double>::infinity();
  double variance = points.variance;
  for (std::size_t p = 0; p < repeats->size(); ++p)
    variance += shared[p].part * shared[p].part * (disturbance_of(model, (*repeats)[p], shared[p].iterations) - disturbance_of(model, 1, 1));
  return variance;
}

}  // namespace

FoundPoints points_for_budget(const CostModel& model, std::span<const double> prices, double budget, std::uint64_t seed) {
  const std::vector<std::size_t> bought = bought_one_by_one(model, prices, budget);
  // A budget below the price of anything: the one point to name what is missing with.
  FoundPoints found = find_points(model, std::max<std::size_t>(bought.size(), 1), seed);
  if (bought.empty()) return found;
  FoundPoints cheaper = as_found(model, bought);
  return variance_at(model, cheaper.points, prices, budget) < variance_at(model, found.points, prices, budget) ? cheaper : found;
}

}  // namespace seqpoint
