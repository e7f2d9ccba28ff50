/// \file
/// The rows of an evaluation: methods and their numbers of points, and the measurements that are drawn for them.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/project/run_estimator.hpp"
#include "core/rng/rng.hpp"

namespace seqpoint::evaluate {

// --- Methods and their numbers of points

/// The methods named in the parameters, in that order; all if none is named. Throws ParameterError for an unknown name.
std::vector<const select::Method*> methods_to_score(const EvaluateParams&);

/// Those of EvaluateParams::numbers_of_points that the method accepts; nothing stands for its own rule, which not every
/// method has. A single nothing for a method that takes no number. May be empty.
std::vector<std::optional<std::uint64_t>> numbers_of_points_to_score(const select::Method&, const EvaluateParams&);

/// A method with its parameters, or points that were chosen elsewhere: one row of the result.
struct GridEntry {
  const select::Method* method;  ///< null: `choice` is set
  select::SelectParams params;
  std::string selected_on;            ///< configuration whose metric it uses; empty: lengths only
  const trace::Trace* visible_trace;  ///< points are chosen on this trace; its metric is used only with `selected_on`
  bool advised = false;               ///< measured as often as select::select_with_repeats() advises
  const select::Selection* choice = nullptr;  ///< one of EvaluateParams::choices

  /// False for points that were chosen elsewhere.
  bool is_random() const { return method != nullptr && method->is_random; }
};

/// All combinations, method by method: its numbers of points, then, if requested and unless it requires a number, as
/// advised; last the choices made elsewhere. Throws ParameterError for an unknown method.
std::vector<GridEntry> evaluation_grid(std::span<const trace::NamedTrace>, const EvaluateParams&);

// --- Measurements of points, sampled from traces that were measured in full

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
/// without gradient accumulation. `once`: batches of the epoch, which need no first executions that are left out.
std::uint64_t executions_of(const std::vector<DrawablePoint>&, bool once);

/// One Monte-Carlo trial: the measurements of each configuration at all points, sampled with replacement, the same
/// iterations for every configuration. A row that is sampled twice has the same value twice, so it does not average out
/// either kind of noise: it is one reading, and counts are the effective sample size of the mean.
std::vector<project::MeasuredPoints> draw_measurements(const std::vector<DrawablePoint>&, const Table&,
                                                       rng::NumpyRandom&);

/// The generator of all trials.
rng::NumpyRandom draw_generator();

}  // namespace seqpoint::evaluate
