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

/// One entry per point. A point's measurements are sampled from all iterations of its shape (or length group), also
/// if the method picked one of them: the errors of methods are comparable only if all of them have the noise of sampled
/// iterations.
std::vector<DrawablePoint> drawable_points(const select::Selection&, const GridEntry&, const EvaluateParams&);

/// The executions of one process that measures these points with their warm-up, as in select::PlanCost::executions
/// without gradient accumulation.
std::uint64_t executions_of(const std::vector<DrawablePoint>&);

/// One Monte-Carlo trial: the measurements of each configuration at all points, sampled with replacement, the same
/// iterations for every configuration. A row that is sampled twice has the same value twice, so it does not average out
/// either kind of noise: it is one reading, and counts are the effective sample size of the mean.
std::vector<project::MeasuredPoints> draw_measurements(const std::vector<DrawablePoint>&, const Table&,
                                                       rng::NumpyRandom&);

/// The generator of all trials.
rng::NumpyRandom draw_generator();

}  // namespace seqpoint::evaluate
