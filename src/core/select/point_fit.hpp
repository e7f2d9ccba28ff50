/// \file
/// From measurements at given points to a run's total: weights, expected error and interval (docs/method.md).
#pragma once

#include <Eigen/Core>

#include <memory>
#include <optional>

#include "core/algebra.hpp"
#include "core/select/cost_model.hpp"
#include "core/select/scales.hpp"

namespace seqpoint::select {

/// Maximum number of points to fit together: the time grows with the cube of their number, to seconds.
inline constexpr std::size_t kMaxFittedPoints = 1000;

/// The projected run: covariances of its mean cost with points, as shares of the mean cost squared.
struct TargetCovariances {
  Eigen::VectorXd with_points;          ///< K_S p: of each point's misfit with the run's mean misfit
  double variance = 0;                  ///< p'K p: of the run's mean misfit
  Eigen::RowVectorXd free_totals;       ///< totals of the diffuse functions, per iteration
  double own_disturbance_variance = 0;  ///< variance of the mean of the run's own noise, at scale 1

  /// The same for some of the points.
  TargetCovariances at_points(const GroupIndices& points) const {
    TargetCovariances some = *this;
    some.with_points = with_points(points);
    return some;
  }
};

/// The best linear prediction of a target's mean, with the prior that the diffuse functions' cost is about proportional
/// to size: weights x costs + prior_share x the mean cost of the model's run.
struct Prediction {
  Eigen::VectorXd weights;  ///< by point; they may be negative
  double prior_share = 0;
  ErrorParts error;  ///< without levels; as a share of the mean cost squared
};

/// The covariances of a run, the target, with points. Both are in units of the model; `run.counts` weigh the shapes of
/// the run, the counts of points are not used.
TargetCovariances target_covariances(const CostModel& model, const ModelShapes& run, const ModelShapes& points);

/// Generalised least squares: the diffuse functions are fitted to points, with residuals of covariance K_SS + D_S.
class PointFit {
 public:
  /// At least one point. `disturbance`: D, noise variance of each point's mean. The first diffuse functions are
  /// estimated, as many as are linearly independent over the points and leave a degree of freedom; at least one. The
  /// model has to outlive the fit.
  PointFit(const CostModel& model, const ModelShapes& points, const Eigen::VectorXd& disturbance);

  /// The number of points minus the number of estimated diffuse functions; 0 for a single point.
  double degrees_of_freedom() const { return static_cast<double>(disturbance_.size() - estimated_functions_.cols()); }
  /// The error of sum_p v_p y_p about the target's mean, without levels. If v misses a function's total, the
  /// uncertainty of its coefficient is added.
  ErrorParts error_parts(const Eigen::VectorXd& v, const TargetCovariances& target) const;
  /// The posterior of the scales, given costs at the points.
  const std::shared_ptr<const PointScales>& scales() const { return scales_; }
  /// Whether the points determine the amounts of all diffuse functions, and leave a degree of freedom.
  bool determines_free_functions() const {
    return estimated_columns_.size() == static_cast<std::size_t>(points_.free_functions.cols()) &&
           degrees_of_freedom() >= 1;
  }
  /// The best linear prediction of the target's mean. All diffuse functions follow their prior, with a variance in
  /// `amounts` of the error; `missed` is empty.
  Prediction predict(const TargetCovariances& target) const;
  /// The predicted costs of single shapes, from costs y at the points; `mean`: the mean cost of the model's run. All
  /// three in the same unit.
  Eigen::VectorXd curve(const Eigen::VectorXd& y, double mean, const ModelShapes& at) const;

 private:
  Eigen::VectorXd usual_amounts() const;  ///< prior means of the diffuse functions' amounts, 0 for those of phases
  /// (C + a^2 F F')^-1 (right + a^2 F totals): C + a^2 F F', with C = K_SS + D_S, is the covariance of costs at the
  /// points if the amounts of all diffuse functions F follow their prior, of variance a^2.
  Eigen::VectorXd solve_predictive(const Eigen::VectorXd& right, const Eigen::VectorXd& totals) const;

  const CostModel& model_;
  ModelShapes points_;
  Eigen::VectorXd disturbance_;                       ///< D_S
  GroupIndices estimated_columns_;                    ///< the diffuse functions that are estimated
  Eigen::MatrixXd misfit_;                            ///< K_SS
  Eigen::MatrixXd estimated_functions_;               ///< F: their values at the points
  std::shared_ptr<const PointScales> scales_;         ///< scales of K_SS, D_S and F
  mutable std::optional<CholeskyFactor> predictive_;  ///< of C + a^2 F F', made when it is first used
};

}  // namespace seqpoint::select
