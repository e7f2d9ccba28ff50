/// \file
/// The weights of given points: those with the least expected squared error of the projected total.
#pragma once

#include <Eigen/Core>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

/// Points with weights v, as shares of the run's iterations.
struct WeightedPoints {
  GroupIndices groups;
  Eigen::VectorXd weights;        ///< >= 0, adding up to 1; 0: V is least without that point
  double variance = 0;            ///< V: expected squared error of the total, as a share of the total squared
  bool meets_free_totals = true;  ///< exactly, all of them; else only the number of iterations is exact
};

/// Among v >= 0 that meet the totals of the free functions, finds that with the least
/// V(v) = p'C p - 2 v'C_S p + v'(C_SS + D_S) v, each point being measured once. Where no v >= 0 meets them, only the
/// number of iterations is exact, and misses of the other totals count with the variance of the free functions.
class WeightProblem {
 public:
  /// `groups`: signatures of the model, not empty, no duplicates.
  WeightProblem(const CostModel& model, GroupIndices groups);
  WeightedPoints solve() const;
  /// V of given weights. The free functions' part is computed separately, so that its large variance costs no
  /// digits.
  double variance_of(const Eigen::VectorXd& weights) const;

 private:
  GroupIndices groups_;
  double free_variance_, variance_beside_free_of_total_;
  Eigen::VectorXd covariance_with_total_;   ///< R_S p
  Eigen::MatrixXd covariance_beside_free_;  ///< R_SS + D_S
  Eigen::MatrixXd free_functions_;          ///< functions in rows, points in columns
};

}  // namespace seqpoint::select
