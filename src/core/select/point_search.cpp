#include "core/select/point_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
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
/// By what share V has to fall to count as lower.
constexpr double kLower = 1e-9;
/// Restarts where they cost next to nothing, and those that are usual: where there are fewer, it is said.
constexpr std::uint64_t kMostRestarts = 60, kUsualRestarts = 10;
/// Multiplications that more restarts than usual, the usual ones, and the exchanges of one start may take: some milliseconds, some
/// tenths of a second, and about a second.
constexpr double kWorkOfMoreRestarts = 6e5, kWorkOfRestarts = 1e8, kWorkOfExchanges = 1.5e9;
/// A point of less than that is left out.
constexpr double kNoWeight = 1e-9;

/// Groups with the least V in the place of a point, ascending, of those below `limit`: at most `most`.
std::vector<std::size_t> best_in_place(const ConditionedRun& run, std::size_t point, std::size_t most, double limit) {
  std::vector<ConditionedRun::Replacement> found = run.replacements(point, limit);
  const std::size_t kept = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < kept; ++i) best.push_back(found[i].group);
  return best;
}

void name_substitutes(FoundPoints& found, const ConditionedRun& at_points) {
  for (const std::size_t group : found.points.groups) {
    const auto place = std::find(at_points.points().begin(), at_points.points().end(), group) - at_points.points().begin();
    found.substitutes.push_back(best_in_place(at_points, static_cast<std::size_t>(place), kSubstitutes, std::numeric_limits<double>::infinity()));
  }
}

/// `once`: multiplications of one, about.
std::uint64_t affordable_restarts(double once) {
  const double usual = std::min(static_cast<double>(kUsualRestarts), kWorkOfRestarts / once);
  return static_cast<std::uint64_t>(std::min(static_cast<double>(kMostRestarts), std::max(usual, kWorkOfMoreRestarts / once)));
}

class Search {
 public:
  Search(const CostModel& model, std::size_t points, std::uint64_t seed)
      : model_(model), state_(model), random_(std::span<const std::uint32_t>(std::array{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)})) {
    for (std::size_t p = 0; p < points; ++p) state_.add(most_gained());
    best_ = WeightProblem(model_, state_.points()).solve();
  }

  FoundPoints run() {
    FoundPoints found;
    const auto groups = static_cast<double>(model_.size()), points = static_cast<double>(best_.groups.size());
    work_left_ = kWorkOfExchanges;
    exchange(best_);
    ConditionedRun best_state = state_;
    const std::uint64_t affordable = affordable_restarts(groups * points * points);
    found.cut_short = affordable < kUsualRestarts || !(work_left_ > 0);
    for (; found.restarts < affordable; ++found.restarts) {
      state_ = best_state;
      draw_anew();
      WeightedPoints current = WeightProblem(model_, state_.points()).solve();
      exchange(current);
      if (!(current.variance < best_.variance * (1 - kLower))) continue;
      best_ = std::move(current);
      best_state = state_;
    }
    found.points = std::move(best_);
    name_substitutes(found, best_state);
    return found;
  }

 private:
  std::size_t most_gained() const {
    std::size_t best = model_.size();
    for (std::size_t g = 0; g < model_.size(); ++g)
      if (!state_.has(g) && (best == model_.size() || state_.gain(g) > state_.gain(best))) best = g;
    return best;
  }

  std::size_t place_of(std::size_t group) const {
    return static_cast<std::size_t>(std::find(state_.points().begin(), state_.points().end(), group) - state_.points().begin());
  }

  /// `current` are the weights of the points that the state is at.
  void exchange(WeightedPoints& current) {
    WeightProblem problem(model_, current.groups);
    for (std::uint64_t sweep = 0; sweep < kMostSweeps; ++sweep) {
      bool improved = false;
      for (std::size_t p = 0; p < current.groups.size() && work_left_ > 0; ++p)
        if (improve(current, problem, p)) improved = true;
      if (!improved || !(work_left_ > 0)) return;
    }
  }

  /// Puts the best in the place of a point; false where none is better.
  bool improve(WeightedPoints& current, WeightProblem& problem, std::size_t p) {
    const auto groups = static_cast<double>(model_.size()), points = static_cast<double>(current.groups.size());
    const std::size_t leaving = current.groups[p];
    work_left_ -= groups;
    for (const std::size_t candidate : best_in_place(state_, place_of(leaving), kMostCandidates, current.variance)) {
      problem.replace(p, candidate);
      work_left_ -= points * points * points;
      WeightedPoints other = problem.solve();
      if (!(other.variance < current.variance * (1 - kLower))) continue;
      current = std::move(other);
      state_.remove(place_of(leaving));
      state_.add(candidate);
      work_left_ -= 4 * groups * points;
      return true;
    }
    problem.replace(p, leaving);
    return false;
  }

  void draw_anew() {
    for (std::size_t drawn = 0; drawn < std::min(kDrawnAnew, best_.groups.size()); ++drawn) {
      state_.remove(random_.interval(state_.points().size() - 1));
      std::uint64_t other = random_.interval(model_.size() - state_.points().size() - 1);
      std::size_t group = 0;
      while (state_.has(group) || other-- > 0) ++group;
      state_.add(group);
    }
  }

  const CostModel& model_;
  ConditionedRun state_;
  NumpyRandom random_;
  WeightedPoints best_;
  double work_left_ = 0;  ///< multiplications, about
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
