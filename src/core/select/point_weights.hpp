/// \file
/// The weights of given points: those with the smallest expected squared error of the projected total.
#pragma once

#include <Eigen/Core>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

/// Points with weights v, as shares of the run's iterations.
struct WeightedPoints {
  GroupIndices groups;
  Eigen::VectorXd weights;        ///< >= 0, adding up to 1; 0: V is smallest without that point
  double variance = 0;            ///< V: expected squared error of the total, as a share of the total squared
  bool meets_free_totals = true;  ///< exactly, for all functions; else only the number of iterations is exact
};

/// Among v >= 0 that meet the totals of the diffuse functions, finds the one with the smallest V(v) = p'C p -
/// 2 v'C_S p + v'(C_SS + D_S) v, each point being measured once. If no v >= 0 meets them, only the number of iterations
/// is exact, and misses of the other totals count with the variance of the diffuse functions.
class WeightProblem {
 public:
  /// `groups`: shapes of the model, which outlives the object; not empty, no duplicates.
  WeightProblem(const CostModel& model, GroupIndices groups);
  /// The weights in the order of `groups`; points of weight 0 are kept.
  WeightedPoints solve() const;
  /// Expected squared error V (docs/method.md) of these weights, relative to the squared mean cost. The diffuse basis
  /// functions are handled separately: their variance of 10,000 would cancel digits.
  double variance_of(const Eigen::VectorXd& weights) const;

 private:
  Eigen::VectorXd best_weights(bool& meets_free_totals) const;

  const CostModel& model_;
  GroupIndices groups_;
  Eigen::VectorXd covariance_with_total_;   ///< R_S p
  Eigen::MatrixXd covariance_beside_free_;  ///< R_SS + D_S
  Eigen::MatrixXd free_functions_;          ///< functions in rows, points in columns
};

}  // namespace seqpoint::select
