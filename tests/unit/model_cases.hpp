/// \file
/// Runs, sets of points and what the model says of them, from tests/vectors/cost_model.json.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/select/cost_model.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::testing {

/// What costs at points tell of the scales, and the interval that follows.
struct IntervalCase {
  std::string name;
  Eigen::VectorXd costs;            ///< relative, or differences of such
  double squares = 0, degrees = 0;  ///< of other iterations
  std::vector<double> processes;    ///< deviations of their projections; empty: the run itself was measured
  bool own = true;                  ///< the run is another process
  double other = 0;                 ///< processes of the other configuration; 0: there is none
  int sides = 1;
  select::BetweenProcesses between = select::kHostBound;
  double confidence = 0.95, half_width = 0, ln_s = 0, ln_g = 0;
  std::optional<double> ln_t;
};

struct PointSetCase {
  std::vector<std::size_t> groups;
  bool exact = false;                             ///< whether some v >= 0 holds the free basis functions' totals
  std::vector<std::vector<double>> covariance;    ///< C
  std::vector<double> disturbance;                ///< D
  Eigen::VectorXd any_weights, interval_weights;  ///< any v; those that the intervals are of
  double squared_error = 0;                       ///< V of any_weights
  std::optional<Eigen::VectorXd> weights;         ///< the best v
  double least_squared_error = 0;                 ///< V of `weights`
  double misfit = 0, noise = 0, missed = 0;       ///< variances of any_weights, by what they are of
  double expected_error = 0, expected_noise = 0, representation = 0;
  std::vector<IntervalCase> intervals;
  std::vector<std::uint64_t> other_counts;  ///< of another run with these shapes
  Eigen::VectorXd prediction;               ///< its weights
  double prior_share = 0, prediction_variance = 0;
};

struct ModelCase {
  std::string name;
  trace::ShapeKind kind = trace::ShapeKind::padded;
  bool batch_sizes_vary = false;
  std::vector<trace::ShapeCount> histogram;
  std::vector<PointSetCase> sets;
};

std::vector<ModelCase> model_cases();

}  // namespace seqpoint::testing
