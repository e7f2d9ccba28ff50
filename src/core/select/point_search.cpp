#include "core/select/point_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "core/algebra.hpp"
#include "core/rng/rng.hpp"
#include "core/select/conditioned_run.hpp"

namespace seqpoint::select {
namespace {

constexpr std::size_t kRedrawnPoints = 2;
/// Seed of the random numbers of restarts.
constexpr std::array<std::uint32_t, 2> kSeed{};
/// Number of candidate shapes to replace a point, whose weights are computed at the end.
constexpr std::size_t kCandidates = 3;
constexpr std::uint64_t kMaxSweeps = 8;
/// Share of V by which an exchange has to lower it. Smaller improvements are made only at the end, to the best set.
constexpr double kMinImprovement = 1e-4, kMinFinalImprovement = 1e-9;
/// Number of restarts; if there are fewer than kDefaultRestarts, the search is reported as cut short. Small sets have
/// more, kRestartsOfSmall / points^3: an exchange changes a larger part of them, so they get stuck more often, and they
/// cost less.
constexpr std::uint64_t kDefaultRestarts = 30, kMaxRestarts = 150, kRestartsOfSmall = 20'000;
/// Limits on the multiplications of restarts, and of exchanges before and after them: some tenths of a second each.
constexpr double kWorkOfRestarts = 1e8, kWorkOfExchanges = 7e8;
/// A point with less weight is left out.
constexpr double kNegligibleWeight = 1e-9;

/// The number of restarts for that many shapes and points: kRestartsOfSmall / points^3, from kDefaultRestarts to
/// kMaxRestarts; fewer, down to none, if the limit on work requires.
std::uint64_t affordable_restarts(std::uint64_t groups, std::uint64_t points) {
  const std::uint64_t wanted =
      std::clamp(kRestartsOfSmall / (points * points * points), kDefaultRestarts, kMaxRestarts);
  const auto once = static_cast<double>(groups * points * points);
  return std::min(wanted, static_cast<std::uint64_t>(kWorkOfRestarts / once));
}

/// find_points() for fewer points than the model has shapes.
class PointSearch {
 public:
  /// The greedy choice: adds the best point so many times.
  PointSearch(const CostModel& model, std::size_t points) : model_(model), conditioned_(model) {
    for (std::size_t p = 0; p < points; ++p) conditioned_.add(conditioned_.best_addition().value_or(first_other()));
  }

  FoundPoints run() {
    double best = exchange();
    ConditionedRun best_state = conditioned_;
    const std::uint64_t restarts = affordable_restarts(model_.size(), conditioned_.points().size());
    const bool cut_short = restarts < kDefaultRestarts || !(work_left_ > 0);
    work_left_ = kWorkOfExchanges;
    for (std::uint64_t r = 0; r < restarts; ++r) {
      conditioned_ = best_state;
      redraw_points();
      const double variance = exchange();
      // The same points in another order differ by rounding.
      if (!(variance < best * (1 - kMinFinalImprovement))) continue;
      best = variance;
      best_state = conditioned_;
    }
    conditioned_ = std::move(best_state);
    polish();
    FoundPoints found = weigh_points(model_, conditioned_.points());
    found.restarts = restarts;
    found.cut_short = cut_short;
    return found;
  }

 private:
  /// The first shape that is no point.
  std::size_t first_other() const {
    std::size_t group = 0;
    while (conditioned_.has(group)) ++group;
    return group;
  }

  /// Exchanges points until no exchange lowers V by kMinImprovement, or a limit of sweep() is reached. Weights in this
  /// V may be negative; returns V for non-negative weights.
  double exchange() {
    sweep([&](std::size_t p) {
      const auto best = conditioned_.replacements(p, 1, conditioned_.variance() * (1 - kMinImprovement));
      return !best.empty() && replace(p, best.front().group);
    });
    return variance_of(conditioned_.points());
  }

  /// Exchanges points while one of the kCandidates best replacements lowers V for non-negative weights by
  /// kMinFinalImprovement: slower than exchange(), and the best set is near.
  void polish() {
    double least = variance_of(conditioned_.points());
    sweep([&](std::size_t p) {
      const double limit = least * (1 - kMinFinalImprovement);
      for (const auto& candidate : conditioned_.replacements(p, kCandidates, limit)) {
        GroupIndices groups = conditioned_.points();
        groups[p] = candidate.group;
        const double variance = variance_of(groups);
        if (!(variance < limit)) continue;
        least = variance;
        return replace(p, candidate.group);
      }
      return false;
    });
  }

  /// Calls `improve_point` for every point, and repeats that while a call returns true: at most kMaxSweeps times, and
  /// until the work is used up.
  template <class Improve>
  void sweep(const Improve& improve_point) {
    bool improved = true;
    for (std::uint64_t sweep = 0; improved && sweep < kMaxSweeps; ++sweep) {
      improved = false;
      for (std::size_t p = 0; p < conditioned_.points().size() && work_left_ > 0; ++p) {
        work_left_ -= static_cast<double>(model_.size());
        if (improve_point(p)) improved = true;
      }
    }
  }

  /// Replaces point `p`, counts the work, and returns true for callers that report an exchange.
  bool replace(std::size_t p, std::size_t group) {
    conditioned_.replace(p, group);
    work_left_ -= 4 * static_cast<double>(model_.size() * conditioned_.points().size());
    return true;
  }

  /// V of these points with non-negative weights; counts the work.
  double variance_of(const GroupIndices& groups) {
    work_left_ -= static_cast<double>(groups.size() * groups.size() * groups.size());
    return WeightProblem(model_, groups).solve().variance;
  }

  /// Replaces kRedrawnPoints random points, perhaps the same one twice, by random shapes that are not points.
  void redraw_points() {
    for (std::size_t drawn = 0; drawn < std::min(kRedrawnPoints, conditioned_.points().size()); ++drawn) {
      const auto point = static_cast<std::size_t>(random_.interval(conditioned_.points().size() - 1));
      std::uint64_t other = random_.interval(model_.size() - conditioned_.points().size() - 1);
      std::size_t group = 0;
      while (conditioned_.has(group) || other-- > 0) ++group;
      conditioned_.replace(point, group);
    }
  }

  const CostModel& model_;
  ConditionedRun conditioned_;
  rng::NumpyRandom random_{std::span<const std::uint32_t>(kSeed)};
  double work_left_ = kWorkOfExchanges;  ///< approximate multiplications
};

/// Every shape is a point, with its shares of the iterations as weights.
FoundPoints every_shape(const CostModel& model) {
  FoundPoints found{.points = {.groups = GroupIndices(model.size()), .weights = model.shares()}};
  std::iota(found.points.groups.begin(), found.points.groups.end(), std::size_t{0});
  for (std::size_t g = 0; g < model.size(); ++g)
    found.points.variance += model.disturbance_variance(g) * (model.shares()[g] * model.shares()[g]);
  return found;
}

}  // namespace

FoundPoints find_points(const CostModel& model, std::uint64_t points) {
  if (points >= model.size()) return every_shape(model);
  return PointSearch(model, static_cast<std::size_t>(points)).run();
}

FoundPoints weigh_points(const CostModel& model, const GroupIndices& groups) {
  const WeightedPoints all = WeightProblem(model, groups).solve();
  FoundPoints found;
  found.points.variance = all.variance;
  found.points.meets_free_totals = all.meets_free_totals;
  GroupIndices kept;
  for (std::size_t p = 0; p < all.groups.size(); ++p) {
    if (!(all.weights[p] > kNegligibleWeight)) continue;
    kept.push_back(p);
    found.points.groups.push_back(all.groups[p]);
  }
  found.points.weights = all.weights(kept);
  return found;
}

// --- The weights of given points

WeightProblem::WeightProblem(const CostModel& model, GroupIndices groups)
    : model_(model),
      groups_(std::move(groups)),
      covariance_with_total_(model.covariance_beside_free_with_total()(groups_)),
      covariance_beside_free_(groups_.size(), groups_.size()),
      free_functions_(model.free_functions()(groups_, Eigen::all).transpose()) {
  for (std::size_t p = 0; p < groups_.size(); ++p) {
    for (std::size_t q = 0; q <= p; ++q)
      covariance_beside_free_(p, q) = covariance_beside_free_(q, p) =
          model.covariance_beside_free(groups_[p], groups_[q]);
    covariance_beside_free_(p, p) += model.disturbance_variance(groups_[p]);
  }
}

WeightedPoints WeightProblem::solve() const {
  WeightedPoints best{.groups = groups_, .weights = {}};
  best.weights = best_weights(best.meets_free_totals);
  best.variance = variance_of(best.weights);
  return best;
}

/// Sets `meets_free_totals` to false if no weights >= 0 meet all totals; never to true.
Eigen::VectorXd WeightProblem::best_weights(bool& meets_free_totals) const {
  const Eigen::VectorXd &totals = model_.free_totals(), &r = covariance_with_total_;
  // One function is constant: v adds up to 1, and F v = totals is (F - totals + 1) v = 1.
  const Eigen::VectorXd above_one = totals.array() - 1;
  Eigen::VectorXd v = nonnegative_minimum(covariance_beside_free_, r, free_functions_.colwise() - above_one);
  if (v.size() > 0) return v;
  meets_free_totals = false;
  const double variance = kModelConstants.free;
  v = nonnegative_minimum(covariance_beside_free_ + variance * free_functions_.transpose() * free_functions_,
                          r + variance * free_functions_.transpose() * totals, Eigen::MatrixXd::Ones(1, r.size()));
  if (v.size() > 0) return v;
  // Lengths that differ by many orders of magnitude leave no digits: then all points have equal weights.
  return Eigen::VectorXd::Constant(r.size(), 1 / static_cast<double>(r.size()));
}

double WeightProblem::variance_of(const Eigen::VectorXd& v) const {
  const double missed = (free_functions_ * v - model_.free_totals()).squaredNorm();
  return model_.variance_beside_free_of_total() - 2 * v.dot(covariance_with_total_) +
         v.dot(covariance_beside_free_ * v) + kModelConstants.free * missed;
}

}  // namespace seqpoint::select
