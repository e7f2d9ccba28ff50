#include "core/evaluate/drawn_measurements.hpp"

#include <array>
#include <map>
#include <span>
#include <utility>

#include "core/select/measurement_plan.hpp"
#include "core/select/select.hpp"
#include "core/trace/phases.hpp"

namespace seqpoint::evaluate {

namespace {

/// Measurements of each point in a trial: the advised ones if `advised`; else the repeats of `params`, as they are or,
/// with allocate_repeats, as an average over the points.
std::vector<std::uint64_t> repeats_of(const select::Selection& selection, bool advised, const EvaluateParams& params) {
  if (!advised && params.allocate_repeats)
    return select::allocate_repeats(selection, params.repeats * selection.points.size());
  std::vector<std::uint64_t> repeats;
  for (const select::Point& point : selection.points) repeats.push_back(advised ? point.repeats : params.repeats);
  return repeats;
}

}  // namespace

std::vector<DrawablePoint> drawable_points(const select::Selection& selection, const GridEntry& entry,
                                           const EvaluateParams& params) {
  const trace::Trace& trace = *entry.visible_trace;
  const std::vector<std::uint64_t> repeats = repeats_of(selection, entry.advised, params);
  std::vector<DrawablePoint> drawable;
  for (const select::Point& point : selection.points) {
    DrawablePoint one{repeats[drawable.size()], {}};
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (point.matches(trace.shapes[i]) && trace::phase_of(selection.run, trace.iteration_number(i)) == point.phase)
        one.rows.push_back(static_cast<Eigen::Index>(i));
    }
    drawable.push_back(std::move(one));
  }
  return drawable;
}

std::uint64_t executions_of(const std::vector<DrawablePoint>& drawable) {
  select::PlanPrice price(1);
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

rng::NumpyRandom draw_generator(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
  return rng::NumpyRandom(std::span<const std::uint32_t>(key));
}

}  // namespace seqpoint::evaluate
