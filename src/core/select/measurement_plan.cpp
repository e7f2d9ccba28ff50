#include "core/select/measurement_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "core/numbers.hpp"
#include "core/select/conditioned_run.hpp"
#include "core/select/point_fit.hpp"
#include "core/select/select.hpp"

namespace seqpoint::select {
namespace {

constexpr double kRoundingOfPrices = 1e-9;  // relative error of prices that add up to the budget

/// Contribution of a point's noise, measured `repeats` times, to the expected squared error, in the unit of the squared
/// cost share. Repeats are at different iterations as long as there are some.
double variance_contribution(const ModelConstants& constants, const MeasurablePoint& point, std::uint64_t repeats) {
  const auto iterations = static_cast<double>(point.distinct_iterations);
  return point.cost_share * point.cost_share * constants.disturbance_variance(iterations, static_cast<double>(repeats));
}

/// The points with their shares of the cost. `prices`: by shape of the model; empty: 1 each.
std::vector<MeasurablePoint> measurable_points(const CostModel& model, const WeightedPoints& points,
                                               std::span<const double> prices) {
  std::vector<MeasurablePoint> found;
  for (std::size_t p = 0; p < points.groups.size(); ++p) {
    const std::size_t group = points.groups[p];
    const double iterations = std::min<double>(model.shapes().counts[group], Point::kMaxOccurrences);
    found.push_back({.cost_share = points.weights[p] * model.shapes().relative_size[group],
                     .price = prices.empty() ? 1 : prices[group],
                     .distinct_iterations = static_cast<std::uint64_t>(iterations)});
  }
  return found;
}

/// Number of different iterations at which a planned point is measured: one a repeat, at most those of its shape and
/// Point::kMaxOccurrences.
double planned_iterations(const ModelShapes& points, std::size_t p, std::uint64_t repeats) {
  return std::min({points.counts[static_cast<Eigen::Index>(p)], static_cast<double>(Point::kMaxOccurrences),
                   static_cast<double>(repeats)});
}

/// The fit to the points with the noise of so many repeats of each. Nothing for one point of several shapes, or more
/// than kMaxFittedPoints.
std::optional<PointFit> planned_fit(const CostModel& model, const ModelShapes& points,
                                    const std::vector<std::uint64_t>& repeats) {
  if ((repeats.size() < 2 && model.size() > 1) || repeats.size() > kMaxFittedPoints) return std::nullopt;
  Eigen::VectorXd disturbance = points.relative_size.cwiseAbs2();
  for (std::size_t p = 0; p < repeats.size(); ++p)
    disturbance[static_cast<Eigen::Index>(p)] *= kModelConstants.disturbance_variance(
        planned_iterations(points, p, repeats[p]), static_cast<double>(repeats[p]));
  return PointFit(model, points, disturbance);
}

/// The grid over the between-process variation, as in ScalesPosterior.
constexpr Eigen::Index kLevelSteps = 15;
constexpr double kFarthestLevel = 3;
/// The default confidence of intervals.
constexpr double kConfidence = 0.95;

/// The state of buy_points().
struct Buyer {
  const CostModel& model;
  std::span<const double> prices;
  const BuyingLimits& limits;
  std::uint64_t most_points;
  ConditionedRun run{model, limits.processes};
  PlanPrice price{limits.processes, limits.of_warmup};
  Purchase bought{};

  Purchase buy() {
    // Most purchases are points. The limit ends a loop that would buy repeats without end.
    for (std::uint64_t left = kMaxRepeats; left > 0 && run.variance() > limits.enough; --left)
      if (!buy_next()) break;
    bought.groups = run.points();
    bought.variance = run.variance();
    return std::move(bought);
  }

  struct Offer {
    double gain = 0;  ///< decrease of V per price
    std::size_t index = 0;
    bool repeat = false;  ///< a repeat of the point `index`; else a new point of shape `index`
  };

  /// Buys the affordable offer that lowers V most per price; false if there is none.
  bool buy_next() {
    Offer best = best_point();
    // Once points are no longer affordable, repeats are bought only for a requested error.
    if (best.gain == 0 && limits.enough == 0) return false;
    for (std::size_t p = 0; p < bought.repeats.size(); ++p) {
      const Offer offer = repeat_of(p);
      if (offer.gain > best.gain) best = offer;
    }
    if (best.gain > 0) take(best);
    return best.gain > 0;
  }

  double price_of(std::size_t group) const { return prices.empty() ? 1 : prices[group]; }
  /// Whether a plan of this price is within the budget, except for rounding.
  bool affordable(double total) const { return total <= limits.budget * (1 + kRoundingOfPrices); }

  /// The best new point, ties to the first shape; a gain of 0 if none is affordable, or there are `most_points`. Its
  /// price for the gain is that of its warm-up and a measurement in each process; the warm-up of processes counts only
  /// in the budget.
  Offer best_point() const {
    Offer best;
    if (run.points().size() >= most_points) return best;
    PlanPrice with = price;
    with.add_point(0, limits.processes);
    const double otherwise = with.total(), executions = 2 * static_cast<double>(limits.processes);
    for (std::size_t g = 0; g < model.size(); ++g) {
      if (run.has(g)) continue;
      const double of_point = executions * price_of(g);
      const double gain = run.variance_reduction_of_any_weight(g) / of_point;
      if (gain > best.gain && affordable(otherwise + of_point)) best = {.gain = gain, .index = g};
    }
    return best;
  }

  /// One more measurement of the p-th point; a gain of 0 if it is not affordable.
  Offer repeat_of(std::size_t p) const {
    const double of_repeat = price_of(run.points()[p]);
    PlanPrice with = price;
    with.add_repeat(bought.repeats[p], of_repeat);
    if (!affordable(with.total())) return {};
    return {.gain = run.variance_reduction_of_repeat(p, fall_of(p)) / of_repeat, .index = p, .repeat = true};
  }

  /// Decrease of the noise variance of the p-th point by one more measurement.
  double fall_of(std::size_t p) const {
    const std::size_t g = run.points()[p];
    return model.disturbance_variance(g, bought.repeats[p]) - model.disturbance_variance(g, bought.repeats[p] + 1);
  }

  void take(const Offer& offer) {
    if (offer.repeat) {
      run.repeat(offer.index, fall_of(offer.index));
      price.add_repeat(bought.repeats[offer.index]++, price_of(run.points()[offer.index]));
      ++bought.measurements_at.back();
      return;
    }
    run.add(offer.index);
    price.add_point(price_of(offer.index), limits.processes);
    bought.repeats.push_back(limits.processes);
    const std::uint64_t before = bought.measurements_at.empty() ? 0 : bought.measurements_at.back();
    bought.measurements_at.push_back(before + limits.processes);
  }
};

}  // namespace

ExpectedError expected_error(const CostModel& model, const GroupIndices& groups, const Eigen::VectorXd& weights,
                             const std::vector<std::uint64_t>& repeats) {
  const ModelShapes& all = model.shapes();
  const ModelShapes points = all.at(groups);
  const Eigen::VectorXd missed =
      points.possible_functions.transpose() * weights - all.possible_functions.transpose() * model.shares();
  const std::optional<PointFit> fit = planned_fit(model, points, repeats);
  const Eigen::ArrayXd usual = Eigen::ArrayXd::Ones(1);  // scales
  const double shapes = missed.size() > 0 ? missed.squaredNorm() / static_cast<double>(missed.size()) : 0;
  ErrorParts error{.measured = std::numeric_limits<double>::infinity()};
  if (fit) error = fit->error_parts(weights, target_covariances(model, all, points));
  const double of_amounts = fit ? fit->scales()->missed_variances(error.missed, usual, usual)[0] : 0;
  return {std::sqrt(error.noise()), zero_if_rounding(std::sqrt(error.misfit + of_amounts + shapes))};
}

std::optional<double> expected_half_width(const CostModel& model, const GroupIndices& groups,
                                          const Eigen::VectorXd& weights, const std::vector<std::uint64_t>& repeats,
                                          std::uint64_t processes, const BetweenProcesses& between) {
  const ModelShapes& all = model.shapes();
  const ModelShapes points = all.at(groups);
  const std::optional<PointFit> fit = planned_fit(model, points, repeats);
  if (!fit || !(between.median > 0)) return std::nullopt;
  ErrorParts parts = fit->error_parts(weights, target_covariances(model, all, points));
  const auto q = static_cast<double>(processes);
  parts.processes = 1 / q;
  parts.own_process = 1;
  double others = 0;  // other iterations of points
  for (std::size_t p = 0; p < groups.size(); ++p) others += planned_iterations(points, p, repeats[p]) - 1;
  const Eigen::VectorXd usual = fit->scales()->usual_costs();
  double sum = 0, all_weights = 0;
  for (Eigen::Index i = 0; i < kLevelSteps; ++i) {
    const double x = kFarthestLevel * (2 * static_cast<double>(i) / (kLevelSteps - 1) - 1),
                 weight = std::exp(-x * x / 2);
    const double each = std::pow(between.median * std::exp(between.spread * x), 2) + q * parts.measured;
    const LevelEvidence levels{.degrees = q - 1, .squares = (q - 1) * each, .noise = q * parts.measured};
    const ScalesPosterior posterior(fit->scales(), usual, {others, others}, std::span(&levels, 1), between);
    sum += weight * posterior.half_width(parts, kConfidence);
    all_weights += weight;
  }
  return sum / all_weights;
}

double PlanPrice::total() const {
  double total = of_points_;
  for (const std::uint64_t executions : executions_)
    total += of_warmup_ * static_cast<double>(usual_warmup(executions));
  return total;
}

void PlanPrice::add_point(double price, std::uint64_t repeats) {
  if (!counts_first_) {
    for (std::uint64_t& executions : executions_) ++executions;  // its own warm-up
    of_points_ += static_cast<double>(executions_.size()) * price;
  }
  for (std::uint64_t r = 0; r < repeats; ++r) add_repeat(r, price);
}

void PlanPrice::add_repeat(std::uint64_t repeats, double price) {
  ++executions_[repeats % executions_.size()];
  of_points_ += price;
}

std::optional<std::vector<std::uint64_t>> allocate_measurements(const ModelConstants& constants,
                                                                std::span<const MeasurablePoint> points,
                                                                const BuyingLimits& limits) {
  const double budget = limits.budget * (1 + kRoundingOfPrices);
  PlanPrice price(limits.processes, limits.of_warmup);
  double variance = 0;
  for (const MeasurablePoint& point : points) {
    price.add_point(point.price, limits.processes);
    variance += variance_contribution(constants, point, limits.processes);
  }
  if (price.total() > budget) return std::nullopt;
  std::vector<std::uint64_t> repeats(points.size(), limits.processes);
  std::uint64_t measured = limits.processes * points.size();
  // Decrease of the error per price by the next measurement of each point, the first of ties on top.
  std::priority_queue<std::pair<double, std::ptrdiff_t>> gains;
  const auto fall = [&](std::size_t p) {
    return variance_contribution(constants, points[p], repeats[p]) -
           variance_contribution(constants, points[p], repeats[p] + 1);
  };
  const auto queue = [&](std::size_t p) {
    if (repeats[p] < kMaxRepeats) gains.emplace(fall(p) / points[p].price, -static_cast<std::ptrdiff_t>(p));
  };
  for (std::size_t p = 0; p < points.size(); ++p) queue(p);
  while (!gains.empty() && measured < limits.measurements && variance > limits.enough) {
    const auto p = static_cast<std::size_t>(-gains.top().second);
    gains.pop();
    PlanPrice with = price;
    with.add_repeat(repeats[p], points[p].price);
    if (with.total() > budget) continue;  // the remaining budget only shrinks, so the point stays too expensive
    price = with;
    variance -= fall(p);
    ++repeats[p];
    ++measured;
    queue(p);
  }
  return repeats;
}

std::optional<Allocation> allocate_measurements(const CostModel& model, const WeightedPoints& points,
                                                std::span<const double> prices, BuyingLimits limits) {
  const std::vector<MeasurablePoint> measurable = measurable_points(model, points, prices);
  double variance = points.variance;  // of points measured once each
  for (const MeasurablePoint& point : measurable) variance -= variance_contribution(kModelConstants, point, 1);
  limits.enough -= variance;
  auto repeats = allocate_measurements(kModelConstants, measurable, limits);
  if (!repeats) return std::nullopt;
  for (std::size_t p = 0; p < measurable.size(); ++p)
    variance += variance_contribution(kModelConstants, measurable[p], (*repeats)[p]);
  return Allocation{std::move(*repeats), variance};
}

Purchase buy_points(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits,
                    std::uint64_t most_points) {
  return Buyer{model, prices, limits, most_points}.buy();
}

FoundPoints points_for_budget(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits) {
  const GroupIndices bought = buy_points(model, prices, limits, kMaxPoints).groups;
  // A budget below every price: one point, for the price in the error message.
  FoundPoints found = find_points(model, std::max<std::size_t>(bought.size(), 1));
  if (bought.empty()) return found;
  FoundPoints cheaper = weigh_points(model, bought);
  const auto variance = [&](const FoundPoints& one) {
    const auto measured = allocate_measurements(model, one.points, prices, limits);
    return measured ? measured->variance : std::numeric_limits<double>::infinity();
  };
  return variance(cheaper) < variance(found) ? cheaper : found;
}

}  // namespace seqpoint::select
