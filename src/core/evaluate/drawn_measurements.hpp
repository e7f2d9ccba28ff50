/// \file
/// Measurements of points, sampled from traces that were measured in full.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

#include "core/evaluate/evaluation_grid.hpp"
#include "core/project/run_estimator.hpp"
#include "core/rng/rng.hpp"

namespace seqpoint::evaluate {

/// The metric of every configuration: iterations x configurations.
using Table = Eigen::ArrayXXd;

/// How often a point is measured, and the rows of the trace from which its measurements are sampled.
struct DrawablePoint {
  std::uint64_t repeats = 1;
  std::vector<Eigen::Index> rows;
};

/// One for each point of a selection on this trace. Measurements of a point are sampled from the occurrences of its
/// shape or length in its phase; if the method picks iterations, from that iteration.
std::vector<DrawablePoint> drawable_points(const select::Selection&, const GridEntry&, const EvaluateParams&);

/// The executions of a process that measures them, as select::PlanCost::executions.
std::uint64_t executions_of(const std::vector<DrawablePoint>&);

/// One Monte-Carlo trial: the measurements of every configuration at the points, all on the same iterations. A row that
/// is sampled twice has the same value twice, so it does not average out either kind of noise.
std::vector<project::MeasuredPoints> draw_measurements(const std::vector<DrawablePoint>&, const Table&,
                                                       rng::NumpyRandom&);

/// The generator of all trials, seeded with EvaluateParams::draw_seed.
rng::NumpyRandom draw_generator(std::uint64_t seed);

}  // namespace seqpoint::evaluate
