/// \file
/// The weights of given points: those with the least expected squared error of the projected total.
#pragma once

#include <Eigen/Core>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

/// Points with weights v, as shares of the run's iterations.
struct WeightedPoints {
  GroupIndices groups;
  Eigen::VectorXd weights;  ///< >= 0, adding up to 1; 0: the others are better off without that point
  double variance = 0;      ///< V: expected squared error of the total, as a share of the total squared
  bool meets_free_totals =
      true;  ///< whether all of the free shapes' totals are met; else only the number of iterations is
};

/// Of v >= 0 with the free shapes' totals exact, that with the least V(v) = p'C p - 2 v'C_S p + v'(C_SS + D_S) v, each
/// point being measured once. Where no v >= 0 has those totals, only the number of iterations is exact and the others
/// are soft, with the variance of the free shapes.
class WeightProblem {
 public:
  /// `groups`: no two the same, not empty.
  WeightProblem(const CostModel& model, GroupIndices groups);
  WeightedPoints solve() const;
  /// V of given weights. The free shapes' part is computed apart, where it costs no digits.
  double variance_of(const Eigen::VectorXd& weights) const;

 private:
  GroupIndices groups_;
  double free_variance_, variance_beside_free_of_total_;
  Eigen::VectorXd covariance_with_total_;   ///< R_S p
  Eigen::MatrixXd covariance_beside_free_;  ///< R_SS + D_S
  Eigen::MatrixXd free_functions_;          ///< shapes x points
};

}  // namespace seqpoint::select
