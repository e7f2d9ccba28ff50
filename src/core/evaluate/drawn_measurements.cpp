#include "core/evaluate/drawn_measurements.hpp"

#include <array>
#include <map>
#include <span>
#include <utility>

#include "core/select/measurement_plan.hpp"
#include "core/select/select.hpp"

namespace seqpoint::evaluate {

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

rng::NumpyRandom draw_generator() {
  constexpr std::array<std::uint32_t, 2> key{0, 0};
  return rng::NumpyRandom(std::span<const std::uint32_t>(key));
}

}  // namespace seqpoint::evaluate
