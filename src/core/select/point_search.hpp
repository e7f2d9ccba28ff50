/// \file
/// Which shapes to measure: the set with the smallest expected squared error for a number of points.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

// --- The weights of given points: those with the smallest expected squared error of the projected total

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

// --- Which shapes to measure

/// The best set of points that was found.
struct FoundPoints {
  WeightedPoints points;       ///< without points of weight 0
  std::uint64_t restarts = 0;  ///< restarts of the search
  bool cut_short = false;      ///< whether the limit on work prevented restarts or exchanges
};

/// That many points (fewer if the run has fewer shapes) with the smallest V that greedy choice and exchange find:
/// greedy choice adds the point that lowers V most; exchange replaces one point by the best, until nothing improves;
/// each restart replaces two points of the best set at random and exchanges again. Ties go to the shape that comes
/// first. Deterministic: the same model and number give the same points. If every shape is a point, its weight is
/// its share of the iterations.
FoundPoints find_points(const CostModel& model, std::uint64_t points);

/// The best non-negative weights of given points; leaves out points whose weight is negligible.
FoundPoints weigh_points(const CostModel& model, const GroupIndices& groups);

}  // namespace seqpoint::select
