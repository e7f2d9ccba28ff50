#include "core/select/point_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/select/conditioned_run.hpp"
#include "seqpoint/rng.hpp"

namespace seqpoint {
namespace {

constexpr std::size_t kDrawnAnew = 2;
constexpr std::size_t kSubstitutes = 3;
/// Candidates for one place whose weights are solved for, at most: the others have a larger V even without v >= 0.
constexpr std::size_t kMostCandidates = 8;
constexpr std::uint64_t kMostSweeps = 8;
/// By what share V has to fall to count as lower: small steps are left to the end, when the best of the restarts is known.
constexpr double kLower = 1e-4, kLowerAtTheEnd = 1e-9;
/// Restarts: where there are fewer, it is said. Small sets have more, kRestartsOfSmall / points^3: an exchange is a larger part of
/// them, so they get stuck more often, and they cost less.
constexpr std::uint64_t kUsualRestarts = 10, kMostRestarts = 150, kRestartsOfSmall = 20'000;
/// Multiplications that restarts, and exchanges before and after them, may take: some tenths of a second each.
constexpr double kWorkOfRestarts = 1e8, kWorkOfExchanges = 7e8;
/// A point of less than that is left out.
constexpr double kNoWeight = 1e-9;

/// Those with the least V in the place of a point, ascending, of those below `limit`: at most `most`.
std::vector<ConditionedRun::Replacement> best_in_place(const ConditionedRun& run, std::size_t point, std::size_t most, double limit) {
  std::vector<ConditionedRun::Replacement> found = run.replacements(point, limit);
  const std::size_t kept = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
  found.resize(kept);
  return found;
}

/// `at_points`: given these points, in their order.
void name_substitutes(FoundPoints& found, const ConditionedRun& at_points) {
  for (std::size_t p = 0; p < found.points.groups.size(); ++p) {
    std::vector<std::size_t>& substitutes = found.substitutes.emplace_back();
    for (const auto& replacement : best_in_place(at_points, p, kSubstitutes, std::numeric_limits<double>::infinity())) substitutes.push_back(replacement.group);
  }
}

/// As many as are wanted, or can be afforded.
std::uint64_t restarts_of(std::size_t groups, std::size_t points) {
  const std::uint64_t wanted = std::clamp(kRestartsOfSmall / (points * points * points), kUsualRestarts, kMostRestarts);
  const double once = static_cast<double>(groups) * static_cast<double>(points) * static_cast<double>(points);
  return std::min(wanted, static_cast<std::uint64_t>(kWorkOfRestarts / once));
}

class Search {
 public:
  Search(const CostModel& model, std::size_t points, std::uint64_t seed)
      : model_(model), state_(model), random_(std::span<const std::uint32_t>(std::array{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)})) {
    for (std::size_t p = 0; p < points; ++p) state_.add(most_gained());
  }

  FoundPoints run() {
    FoundPoints found;
    double best = exchange(kLower);
    ConditionedRun best_state = state_;
    const std::uint64_t restarts = restarts_of(model_.size(), state_.points().size());
    found.cut_short = restarts < kUsualRestarts || !(work_left_ > 0);
    work_left_ = kWorkOfExchanges;
    for (; found.restarts < restarts; ++found.restarts) {
      state_ = best_state;
      draw_anew();
      const double variance = exchange(kLower);
      if (!(variance < best * (1 - kLowerAtTheEnd))) continue;  // the same points in another order differ by a rounding
      best = variance;
      best_state = state_;
    }
    state_ = std::move(best_state);
    exchange(kLowerAtTheEnd);
    found.points = WeightProblem(model_, state_.points()).solve();
    name_substitutes(found, state_);
    return found;
  }

 private:
  std::size_t most_gained() const {
    std::size_t best = model_.size();
    for (std::size_t g = 0; g < model_.size(); ++g)
      if (!state_.has(g) && (best == model_.size() || state_.gain(g) > state_.gain(best))) best = g;
    return best;
  }

  /// Exchanges points until nothing lowers V by that share; returns V of those that are left.
  double exchange(double lower) {
    WeightProblem problem(model_, state_.points());
    double variance = problem.solve().variance;
    bool improved = true;
    for (std::uint64_t sweep = 0; improved && sweep < kMostSweeps; ++sweep) {
      improved = false;
      for (std::size_t p = 0; p < state_.points().size() && work_left_ > 0; ++p)
        if (improve(variance, problem, p, lower)) improved = true;
    }
    return problem.solve().variance;
  }

  /// Puts the best in the place of a point; false where none is better.
  bool improve(double& variance, WeightProblem& problem, std::size_t p, double lower) {
    const auto groups = static_cast<double>(model_.size()), points = static_cast<double>(state_.points().size());
    work_left_ -= groups;
    for (const auto& candidate : best_in_place(state_, p, kMostCandidates, variance * (1 - lower))) {
      problem.replace(p, candidate.group);
      work_left_ -= points * points * points;
      const std::optional<double> exact = state_.exact_variance(p, candidate);
      const double with_candidate = exact ? *exact : problem.solve().variance;
      if (!(with_candidate < variance * (1 - lower))) continue;
      variance = with_candidate;
      state_.replace(p, candidate.group);
      work_left_ -= 4 * groups * points;
      return true;
    }
    problem.replace(p, state_.points()[p]);
    return false;
  }

  void draw_anew() {
    for (std::size_t drawn = 0; drawn < std::min(kDrawnAnew, state_.points().size()); ++drawn) {
      const auto point = static_cast<std::size_t>(random_.interval(state_.points().size() - 1));
      std::uint64_t other = random_.interval(model_.size() - state_.points().size() - 1);
      std::size_t group = 0;
      while (state_.has(group) || other-- > 0) ++group;
      state_.replace(point, group);
    }
  }

  const CostModel& model_;
  ConditionedRun state_;
  NumpyRandom random_;
  double work_left_ = kWorkOfExchanges;  ///< multiplications, about
};

/// Nothing is left to represent: each weighs what it occurs.
FoundPoints every_signature(const CostModel& model) {
  FoundPoints found{.points = {std::vector<std::size_t>(model.size()), model.shares(), 0, true}, .substitutes = std::vector<std::vector<std::size_t>>(model.size())};
  std::iota(found.points.groups.begin(), found.points.groups.end(), std::size_t{0});
  for (std::size_t g = 0; g < model.size(); ++g) found.points.variance += model.disturbance(g) * std::pow(model.shares()[static_cast<Eigen::Index>(g)], 2);
  return found;
}

void leave_out_the_weightless(FoundPoints& found) {
  WeightedPoints& points = found.points;
  std::vector<Eigen::Index> kept;
  for (Eigen::Index p = 0; p < points.weights.size(); ++p)
    if (points.weights[p] > kNoWeight) kept.push_back(p);
  WeightedPoints some{{}, points.weights(kept), points.variance, points.exact};
  std::vector<std::vector<std::size_t>> substitutes;
  for (const Eigen::Index p : kept) {
    some.groups.push_back(points.groups[static_cast<std::size_t>(p)]);
    substitutes.push_back(std::move(found.substitutes[static_cast<std::size_t>(p)]));
  }
  points = std::move(some);
  found.substitutes = std::move(substitutes);
}

}  // namespace

FoundPoints find_points(const CostModel& model, std::uint64_t points, std::uint64_t seed) {
  if (points >= model.size()) return every_signature(model);
  FoundPoints found = Search(model, static_cast<std::size_t>(points), seed).run();
  leave_out_the_weightless(found);
  return found;
}

FoundPoints as_found(const CostModel& model, const std::vector<std::size_t>& groups) {
  FoundPoints found{.points = WeightProblem(model, groups).solve(), .substitutes = {}};
  ConditionedRun run(model);
  for (const std::size_t group : groups) run.add(group);
  name_substitutes(found, run);
  leave_out_the_weightless(found);
  return found;
}

}  // namespace seqpoint
