#include "core/evaluate/evaluation_grid.hpp"

#include <array>
#include <map>
#include <span>
#include <utility>

#include "core/select/measurement_plan.hpp"
#include "core/select/select.hpp"

namespace seqpoint::evaluate {

// --- Methods and their numbers of points

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

// --- Measurements of points, sampled from traces that were measured in full

std::vector<DrawablePoint> drawable_points(const select::Selection& selection, const GridEntry& entry,
                                           const EvaluateParams& params) {
  const trace::Trace& trace = *entry.visible_trace;
  std::vector<DrawablePoint> drawable;
  for (const select::Point& point : selection.points) {
    DrawablePoint one{entry.advised ? point.repeats : params.repeats, {}};
    for (std::size_t i = 0; i < trace.size(); ++i)
      if (point.matches(trace.shapes[i])) one.rows.push_back(static_cast<Eigen::Index>(i));
    drawable.push_back(std::move(one));
  }
  return drawable;
}

std::uint64_t executions_of(const std::vector<DrawablePoint>& drawable, bool once) {
  select::PlanPrice price(1, 1, once);
  for (const DrawablePoint& point : drawable) price.add_point(1, point.repeats);
  return static_cast<std::uint64_t>(price.total());
}

std::vector<project::MeasuredPoints> draw_measurements(const std::vector<DrawablePoint>& drawable, const Table& table,
                                                       rng::NumpyRandom& random) {
  project::MeasuredPoints shared;
  std::vector<project::MeasuredPoints> all(static_cast<std::size_t>(table.cols()));
  for (std::size_t p = 0; p < drawable.size(); ++p) {
    std::map<Eigen::Index, double> times;
    for (std::uint64_t r = 0; r < drawable[p].repeats; ++r)
      ++times[drawable[p].rows[random.interval(drawable[p].rows.size() - 1)]];
    double squares = 0;
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(table.cols());
    for (const auto& [row, often] : times) {
      const double share = often / static_cast<double>(drawable[p].repeats);
      squares += share * share;
      mean += share * table.row(row).matrix();
    }
    shared.counts.points.push_back(p);
    shared.counts.iterations.push_back(1 / squares);
    shared.counts.measurements.push_back(1 / squares);
    for (std::size_t c = 0; c < all.size(); ++c) {
      const auto column = static_cast<Eigen::Index>(c);
      all[c].values.push_back(mean[column]);
      auto& readings = all[c].readings.emplace_back();
      for (const auto& [row, often] : times) readings.emplace_back(table(row, column), static_cast<std::uint64_t>(row));
    }
  }
  for (project::MeasuredPoints& points : all) points.counts = shared.counts;
  return all;
}

rng::NumpyRandom draw_generator() {
  constexpr std::array<std::uint32_t, 2> key{0, 0};
  return rng::NumpyRandom(std::span<const std::uint32_t>(key));
}

}  // namespace seqpoint::evaluate
