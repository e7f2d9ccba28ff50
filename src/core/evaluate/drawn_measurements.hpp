/// \file
/// Measurements of points, drawn from traces that were measured in full.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

#include "core/evaluate/evaluation_grid.hpp"
#include "core/project/run_estimator.hpp"
#include "core/rng/rng.hpp"

namespace seqpoint::evaluate {

/// The statistic of every configuration: iterations x configurations.
using Table = Eigen::ArrayXXd;

/// How often a point is measured, and the rows of the trace that its measurements are drawn from.
struct DrawablePoint {
  std::uint64_t repeats = 1;
  std::vector<Eigen::Index> rows;
};

/// One for each point of a selection on this trace. Measurements of a point are drawn from the occurrences of its key
/// in its phase; of a method that picks iterations, from that iteration.
std::vector<DrawablePoint> drawable_points(const select::Selection&, const GridEntry&, const EvaluateParams&);

/// What a process runs to measure them: as select::PlanCost::executions.
std::uint64_t executions_of(const std::vector<DrawablePoint>&);

/// One draw: the measurements of every configuration at the points, all on the same iterations. A row that is drawn
/// twice has the same value twice, so it reduces neither kind of disturbance.
std::vector<project::MeasuredPoints> draw_measurements(const std::vector<DrawablePoint>&, const Table&,
                                                       rng::NumpyRandom&);

/// The generator of all draws, from EvaluateParams::draw_seed.
rng::NumpyRandom draw_generator(std::uint64_t seed);

}  // namespace seqpoint::evaluate
