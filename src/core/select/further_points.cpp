#include "core/select/further_points.hpp"

#include <algorithm>
#include <string>

#include "core/select/conditioned_run.hpp"
#include "core/select/point_weights.hpp"

namespace seqpoint::select {
namespace {

/// Positions of the points' shapes in the model, which has all of them.
GroupIndices groups_of(const Selection& selection, const CostModel& model) {
  GroupIndices groups;
  for (const Point& point : selection.points)
    groups.push_back(static_cast<std::size_t>(std::ranges::lower_bound(model.shapes().shapes, point.shape) -
                                              model.shapes().shapes.begin()));
  return groups;
}

/// The shape, not yet a point, that lowers V most with a weight above 0; ties to the first. Nothing: none does.
std::optional<std::size_t> best_addition(const ConditionedRun& state, std::size_t shapes) {
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t g = 0; g < shapes; ++g) {
    if (state.has(g) || !(state.variance_reduction(g) > most)) continue;
    most = state.variance_reduction(g);
    best = g;
  }
  return best;
}

/// The points as choices for a trace of so many iterations, ascending by shape. New ones of no weight are left out;
/// measured ones, the first, get the smallest there is.
std::vector<Choice> choices_of(const WeightedPoints& weighted, std::size_t measured, const CostModel& model,
                               std::size_t iterations) {
  constexpr double kLeast = 1.0 / Weight::kUnit;
  std::vector<Choice> choices;
  for (std::size_t p = 0; p < weighted.groups.size(); ++p) {
    const double weight = weighted.weights[static_cast<Eigen::Index>(p)] * static_cast<double>(iterations);
    if (p >= measured && !(weight > kLeast)) continue;
    choices.push_back(
        {.shape = model.shapes().shapes[weighted.groups[p]], .weight = std::max(weight, kLeast), .length_group = {}});
  }
  std::ranges::sort(choices, {}, &Choice::shape);
  return choices;
}

/// Points of the same shapes as in `measured` get its ids; the others go on counting.
void rename(std::vector<Point>& points, const Selection& measured) {
  std::size_t next = measured.points.size();
  for (Point& point : points) {
    const auto known = std::ranges::find(measured.points, point.shape, &Point::shape);
    point.id = known != measured.points.end() ? known->id : "sp" + std::to_string(++next);
    if (known != measured.points.end()) point.iterations = known->iterations;
  }
}

}  // namespace

Selection with_further_points(const Selection& measured, const trace::Trace& run, std::uint64_t points) {
  const CostModel model(measured.run);
  ConditionedRun state(model);
  for (const std::size_t group : groups_of(measured, model)) state.add(group);
  while (state.points().size() < points) {
    const std::optional<std::size_t> best = best_addition(state, model.size());
    if (!best) break;
    state.add(*best);
  }
  const WeightedPoints weighted = WeightProblem(model, state.points()).solve();
  Selection selection =
      selection_of(run, measured.method.name, choices_of(weighted, measured.points.size(), model, run.size()));
  rename(selection.points, measured);
  selection.method.metric = measured.method.metric;
  return selection;
}

}  // namespace seqpoint::select
