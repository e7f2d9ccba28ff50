/// \file
/// Runs, sets of points and what the model says of them, from tests/vectors/cost_model.json.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/select/cost_model.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::testing {

struct PointSetCase {
  std::vector<std::size_t> groups;
  bool exact = false;                                         ///< whether some v >= 0 holds the free shapes' totals
  std::vector<std::vector<double>> covariance;                ///< C
  std::vector<double> disturbance;                            ///< D
  Eigen::VectorXd any_weights, costs;                         ///< any v; relative costs e
  double squared_error = 0;                                   ///< V of any_weights
  std::optional<Eigen::VectorXd> weights;                     ///< the best v
  double least_squared_error = 0;                             ///< V of `weights`
  double variance = 0, half_width_95 = 0, half_width_80 = 0;  ///< U of any_weights; h of `costs`
  std::vector<std::uint64_t> other_counts;                    ///< of another run with these signatures
  Eigen::VectorXd predictor;                                  ///< its weights
  double predictor_variance = 0, noise = 0, shapes = 0;
};

struct ModelCase {
  std::string name;
  trace::SignatureKind kind = trace::SignatureKind::padded;
  bool batch_sizes_vary = false;
  std::vector<trace::SignatureCount> histogram;
  std::vector<PointSetCase> sets;
};

std::vector<ModelCase> model_cases();

}  // namespace seqpoint::testing
