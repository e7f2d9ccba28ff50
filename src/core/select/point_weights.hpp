/// \file
/// The weights of given points: those with the least expected squared error of the projected total.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

#include "core/select/cost_model.hpp"

namespace seqpoint {

/// Points with weights v, as shares of the run's iterations.
struct WeightedPoints {
  std::vector<std::size_t> groups;  ///< which signatures of the model
  Eigen::VectorXd weights;          ///< >= 0, adding up to 1; 0: the others are better off without that point
  double variance = 0;              ///< V: expected squared error of the total, as a share of the total squared
  bool exact = true;                ///< whether all of the free shapes' totals are met; else only the number of iterations is
};

/// Of v >= 0 with the free shapes' totals exact, the v with the least
///   V(v) = p'C p - 2 v'C_S p + v'(C_SS + D_S) v,
/// each point being measured once. Where no v >= 0 has those totals, the number of iterations is exact and the other totals
/// are soft, with the variance of the free shapes.
class WeightProblem {
 public:
  /// The model has to outlive it. `groups`: no two the same, not empty.
  WeightProblem(const CostModel& model, std::vector<std::size_t> groups);
  void replace(std::size_t point, std::size_t group);
  WeightedPoints solve() const;
  /// V of given weights. The free shapes' part is computed apart, where it costs no digits.
  double squared_error_of(const Eigen::VectorXd& weights) const;

 private:
  void fill(std::size_t point);

  const CostModel& model_;
  std::vector<std::size_t> groups_;
  Eigen::MatrixXd rest_;     ///< R_SS + D_S
  Eigen::MatrixXd free_;     ///< shapes x points
};

}  // namespace seqpoint
