#include "core/select/measurement_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "core/rounding.hpp"
#include "core/select/conditioned_run.hpp"
#include "core/select/point_fit.hpp"
#include "seqpoint/select/plan.hpp"

namespace seqpoint::select {
namespace {

constexpr double kRoundingOfPrices = 1e-9;  // of prices that add up to the budget

/// `weight`: of several runs the root of the sum of the squares, in the model's units.
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
                            const BuyingLimits& limits) {
  const std::vector<MeasurablePoint> shared = measurable_points(model, points, prices);
  const auto repeats = allocate_measurements(model.constants(), shared, limits);
  if (!repeats) return std::numeric_limits<double>::infinity();
  double variance = points.variance - variance_of_one_measurement(model.constants(), shared);
  for (std::size_t p = 0; p < shared.size(); ++p)
    variance += variance_contribution(model.constants(), shared[p], (*repeats)[p]);
  return variance;
}

class Buyer {
 public:
  Buyer(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits, std::uint64_t most_points)
      : model_(model),
        prices_(prices),
        limits_(limits),
        most_points_(std::min<std::uint64_t>(most_points, model.size())),
        run_(model, limits.sessions),
        price_(limits.sessions, limits.of_warmup) {}

  Purchase buy() {
    // Most of what is bought are points: what buys repeats without end, no number of points can change.
    for (std::uint64_t left = kMostRepeats; left > 0 && run_.variance() > limits_.enough; --left)
      if (!buy_next()) break;
    bought_.groups = run_.points();
    bought_.variance = run_.variance();
    return std::move(bought_);
  }

 private:
  struct Offer {
    double gain = 0;  ///< by how much V falls, per price
    std::size_t index = 0;
    bool repeat = false;  ///< of the point `index`; else a new one, of signature `index`
  };

  bool buy_next() {
    Offer best = best_point();
    if (!is_worth_repeats(best)) return false;
    for (std::size_t p = 0; p < bought_.repeats.size(); ++p) {
      const Offer offer = repeat_of(p);
      if (offer.gain > best.gain) best = offer;
    }
    if (best.gain > 0) take(best);
    return best.gain > 0;
  }

  /// Once no point can be bought any more, only an error that is asked for makes more repeats worth buying.
  bool is_worth_repeats(const Offer& point) const { return point.gain > 0 || limits_.enough > 0; }

  double price_of(std::size_t group) const { return prices_.empty() ? 1 : prices_[group]; }
  bool affordable(double total) const { return total <= limits_.budget * (1 + kRoundingOfPrices); }

  Offer best_point() const {
    Offer best;
    if (run_.points().size() >= most_points_) return best;
    for (std::size_t g = 0; g < model_.size(); ++g) {
      if (run_.has(g)) continue;
      const double gain = run_.variance_reduction_of_any_weight(g) / (price_.executions_of_point() * price_of(g));
      if (gain > best.gain && affordable(price_.with_point(price_of(g)))) best = {.gain = gain, .index = g};
    }
    return best;
  }

  Offer repeat_of(std::size_t p) const {
    const double price = price_of(run_.points()[p]);
    if (!affordable(price_.with_repeat(bought_.repeats[p], price))) return {};
    return {.gain = run_.variance_reduction_of_repeat(p, fall_of(p)) / price, .index = p, .repeat = true};
  }

  /// Of the variance of a point's disturbance by one more measurement.
  double fall_of(std::size_t p) const {
    const std::size_t g = run_.points()[p];
    return model_.disturbance_variance(g, bought_.repeats[p]) - model_.disturbance_variance(g, bought_.repeats[p] + 1);
  }

  void take(const Offer& offer) {
    if (offer.repeat) {
      run_.repeat(offer.index, fall_of(offer.index));
      price_.add_repeat(bought_.repeats[offer.index]++, price_of(run_.points()[offer.index]));
      ++bought_.measurements_at.back();
      return;
    }
    run_.add(offer.index);
    price_.add_point(price_of(offer.index));
    bought_.repeats.push_back(limits_.sessions);
    const std::uint64_t before = bought_.measurements_at.empty() ? 0 : bought_.measurements_at.back();
    bought_.measurements_at.push_back(before + limits_.sessions);
  }

  const CostModel& model_;
  std::span<const double> prices_;
  const BuyingLimits& limits_;
  std::uint64_t most_points_;
  ConditionedRun run_;
  PlanPrice price_;
  Purchase bought_;
};

}  // namespace

std::vector<ExpectedError> expected_errors(const CostModel& model, const GroupIndices& groups,
                                           const Eigen::MatrixXd& weights, const std::vector<std::uint64_t>& repeats) {
  ModelSignatures all = model.signatures();
  const ModelSignatures points = all.at(groups);
  const Eigen::MatrixXd missed =
      points.possible_functions.transpose() * weights - all.possible_functions.transpose() * model.shares();
  Eigen::VectorXd disturbance(groups.size());
  for (std::size_t p = 0; p < groups.size(); ++p)
    disturbance[p] = variance_contribution(model.constants(), measurable_point(model, groups[p], 1, 1), repeats[p]);
  std::optional<PointFit> fit;
  if (groups.size() >= 2 && groups.size() <= kMostFittedPoints) fit.emplace(model, points, disturbance);
  std::vector<ExpectedError> errors;
  for (Eigen::Index run = 0; run < model.runs(); ++run) {
    const double total = model.units()[run] / std::sqrt(static_cast<double>(model.runs()));
    const double shapes = missed.rows() > 0 ? missed.col(run).squaredNorm() / static_cast<double>(missed.rows()) : 0;
    VarianceParts variance{.measured = std::numeric_limits<double>::infinity()};
    all.counts = model.counts().col(run);
    if (fit) variance = fit->variance(weights.col(run), target_covariances(model, all, points));
    errors.push_back({std::sqrt(variance.measured + variance.own) / total,
                      zero_if_rounding(std::sqrt(variance.between + variance.missed + shapes) / total)});
  }
  return errors;
}

std::vector<MeasurablePoint> measurable_points(const CostModel& model, const WeightedPoints& points,
                                               std::span<const double> prices) {
  std::vector<MeasurablePoint> found;
  for (std::size_t p = 0; p < points.groups.size(); ++p) {
    const std::size_t group = points.groups[p];
    const double weight = points.weights.row(p).cwiseQuotient(model.units()).norm();
    found.push_back(measurable_point(model, group, weight, prices.empty() ? 1 : prices[group]));
  }
  return found;
}

double PlanPrice::with_repeat(std::uint64_t repeats, double price) const {
  const std::uint64_t executions = executions_[repeats % executions_.size()];
  return total() + price + of_warmup_ * static_cast<double>(usual_warmup(executions + 1) - usual_warmup(executions));
}

void PlanPrice::add_point(double price) {
  of_points_ += executions_of_point() * price;
  for (std::uint64_t& executions : executions_) executions += 2;
  warmups_ = warmups_of_next_point_;
  warmups_of_next_point_ = with_two_more();
}

void PlanPrice::add_repeat(std::uint64_t repeats, double price) {
  std::uint64_t& executions = executions_[repeats % executions_.size()];
  of_points_ += price;
  warmups_ += usual_warmup(executions + 1) - usual_warmup(executions);
  warmups_of_next_point_ += usual_warmup(executions + 3) - usual_warmup(executions + 2);
  ++executions;
}

std::uint64_t PlanPrice::with_two_more() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t executions : executions_) sum += usual_warmup(executions + 2);
  return sum;
}

std::optional<std::vector<std::uint64_t>> allocate_measurements(const ModelConstants& constants,
                                                                std::span<const MeasurablePoint> points,
                                                                const BuyingLimits& limits) {
  const double budget = limits.budget * (1 + kRoundingOfPrices);
  PlanPrice price(limits.sessions, limits.of_warmup);
  double variance = 0;
  for (const MeasurablePoint& point : points) {
    price.add_point(point.price);
    variance += variance_contribution(constants, point, limits.sessions);
  }
  if (price.total() > budget) return std::nullopt;
  std::vector<std::uint64_t> repeats(points.size(), limits.sessions);
  std::uint64_t measured = limits.sessions * points.size();
  // By how much the next measurement of each point lowers the error per price, the first of equals on top.
  std::priority_queue<std::pair<double, std::ptrdiff_t>> gains;
  const auto fall = [&](std::size_t p) {
    return variance_contribution(constants, points[p], repeats[p]) -
           variance_contribution(constants, points[p], repeats[p] + 1);
  };
  const auto queue = [&](std::size_t p) {
    if (repeats[p] < kMostRepeats) gains.emplace(fall(p) / points[p].price, -static_cast<std::ptrdiff_t>(p));
  };
  for (std::size_t p = 0; p < points.size(); ++p) queue(p);
  while (!gains.empty() && measured < limits.measurements && variance > limits.enough) {
    const auto p = static_cast<std::size_t>(-gains.top().second);
    gains.pop();
    if (price.with_repeat(repeats[p], points[p].price) > budget) continue;  // what is left only shrinks
    variance -= fall(p);
    price.add_repeat(repeats[p]++, points[p].price);
    ++measured;
    queue(p);
  }
  return repeats;
}

double variance_of_one_measurement(const ModelConstants& constants, std::span<const MeasurablePoint> points) {
  double variance = 0;
  for (const MeasurablePoint& point : points) variance += variance_contribution(constants, point, 1);
  return variance;
}

Purchase buy_points(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits,
                    std::uint64_t most_points) {
  return Buyer(model, prices, limits, most_points).buy();
}

FoundPoints points_for_budget(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits,
                              std::uint64_t seed) {
  const GroupIndices bought = buy_points(model, prices, limits, kMostPoints).groups;
  // A budget below every price: one point, whose price the error message names.
  FoundPoints found = find_points(model, std::max<std::size_t>(bought.size(), 1), seed);
  if (bought.empty()) return found;
  FoundPoints cheaper = weigh_points(model, bought);
  const auto variance = [&](const FoundPoints& one) { return variance_with_budget(model, one.points, prices, limits); };
  return variance(cheaper) < variance(found) ? cheaper : found;
}

}  // namespace seqpoint::select
