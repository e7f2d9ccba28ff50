#include "core/evaluate/evaluation_grid.hpp"

#include <utility>

namespace seqpoint::evaluate {
namespace {

/// Adds one entry by lengths alone, unless the method requires the metric, and one with the metric of `visible` if the
/// method can use it and params.lengths_only is not set.
void add_entries(std::vector<GridEntry>& grid, const select::Method& method, std::optional<std::uint64_t> points,
                 const EvaluateParams& params, const trace::NamedTrace& visible) {
  GridEntry entry{.method = &method, .params = {}, .selected_on = "", .visible_trace = &visible.trace};
  entry.params.method = method.name;
  entry.params.points = points;
  // `worst` requires the metric: it is not defined by lengths alone.
  const bool needs_metric = method.takes_metric && method.points == select::Method::Points::none;
  if (!needs_metric) grid.push_back(entry);
  if (!method.takes_metric || params.lengths_only) return;
  entry.params.metric = params.metric;
  entry.selected_on = visible.name;
  grid.push_back(std::move(entry));
}

}  // namespace

std::vector<const select::Method*> methods_to_score(const EvaluateParams& params) {
  std::vector<const select::Method*> chosen;
  for (const std::string& name : params.methods) chosen.push_back(&select::find_method(name));
  if (params.methods.empty())
    for (const select::Method& method : select::all_methods()) chosen.push_back(&method);
  return chosen;
}

std::vector<std::optional<std::uint64_t>> numbers_of_points_to_score(const select::Method& method,
                                                                     const EvaluateParams& params) {
  if (method.points == select::Method::Points::none) return {std::nullopt};
  std::vector<std::optional<std::uint64_t>> numbers;
  for (const auto& points : params.numbers_of_points)
    if (points || method.points == select::Method::Points::optional) numbers.push_back(points);
  return numbers;
}

std::vector<GridEntry> evaluation_grid(std::span<const trace::NamedTrace> traces, const EvaluateParams& params) {
  const trace::NamedTrace& visible = traces.front();
  std::vector<GridEntry> grid;
  for (const select::Method* const method : methods_to_score(params)) {
    for (const auto& points : numbers_of_points_to_score(*method, params))
      add_entries(grid, *method, points, params, visible);
    if (!params.advised || method->points == select::Method::Points::required) continue;
    const std::size_t before = grid.size();
    add_entries(grid, *method, std::nullopt, params, visible);
    for (std::size_t i = before; i < grid.size(); ++i) grid[i].advised = true;
  }
  for (const select::Selection& choice : params.choices)
    grid.push_back({.method = nullptr,
                    .params = {},
                    .selected_on = "",
                    .visible_trace = &visible.trace,
                    .advised = false,
                    .choice = &choice});
  return grid;
}

}  // namespace seqpoint::evaluate
