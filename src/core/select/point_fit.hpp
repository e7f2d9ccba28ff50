/// \file
/// From measurements at given points to a run's total: weights, expected error and interval (docs/method.md).
#pragma once

#include <Eigen/Core>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

/// Points that are fitted together, at most: the time grows with the cube of their number.
inline constexpr std::size_t kMostFittedPoints = 1000;

/// The run that is projected: covariances of its mean cost with points, as shares of the mean cost squared.
struct TargetCovariances {
  Eigen::VectorXd with_points;          ///< K_S p: of each point's jagged cost with the run's mean jagged cost
  double variance = 0;                  ///< p'K p: of the run's mean jagged cost
  Eigen::RowVectorXd free_totals;       ///< of the free functions, per iteration
  double own_disturbance_variance = 0;  ///< of the mean of the run's own disturbances, at scale 1

  /// The same for some of the points.
  TargetCovariances at_points(const GroupIndices& points) const {
    TargetCovariances some = *this;
    some.with_points = with_points(points);
    return some;
  }
};

/// U by where it comes from, at scale 1, as shares of the mean cost squared.
struct VarianceParts {
  double between = 0;   ///< jagged costs of lengths that were not measured
  double measured = 0;  ///< disturbances of the measurements
  double missed = 0;    ///< totals of free functions that the weights miss
  double own = 0;       ///< disturbances of the run's own iterations

  double total() const { return between + measured + missed + own; }
};

TargetCovariances target_covariances(const CostModel& model, const ModelSignatures& run, const ModelSignatures& points);

/// Generalised least squares: the free functions are fitted to points, with residuals of covariance K_SS + D_S times an
/// unknown scale squared.
class PointFit {
 public:
  /// At least one point. `disturbance`: D, variance of each one's mean. The first free functions are estimated, as many
  /// as are linearly independent over the points and leave a degree of freedom; at least one. The model has to outlive
  /// the fit.
  PointFit(const CostModel& model, const ModelSignatures& points, const Eigen::VectorXd& disturbance);

  double degrees_of_freedom() const { return static_cast<double>(disturbance_.size() - estimated_functions_.cols()); }
  /// U: expected squared error of sum_p v_p y_p about the target's mean, at scale 1, as a share of the mean squared.
  /// Where v misses a function's total, the uncertainty of its coefficient is added.
  VarianceParts variance(const Eigen::VectorXd& v, const TargetCovariances& target) const;
  /// The weights of the best linear unbiased prediction of the target's mean; they may be negative.
  Eigen::VectorXd predictor(const TargetCovariances& target) const;
  /// The same where the points cannot determine all free functions: each has the model's prior variance.
  Eigen::VectorXd regularised_predictor(const TargetCovariances& target) const;
  /// Whether v meets the target's totals of all free functions, also of those that are not estimated.
  bool meets_free_totals(const Eigen::VectorXd& v, const TargetCovariances& target) const;
  /// The best linear unbiased prediction for single signatures, from costs y at the points.
  Eigen::VectorXd curve(const Eigen::VectorXd& y, const ModelSignatures& at) const;
  /// Q: weighted sum of squares of the residuals of relative costs e, over their variance at scale 1.
  double residual_squares(const Eigen::VectorXd& e) const;

 private:
  Eigen::VectorXd coefficients(const Eigen::VectorXd& y) const;  ///< of the free functions in the fit to costs y

  const CostModel& model_;
  ModelSignatures points_;
  Eigen::VectorXd disturbance_;             ///< D_S
  GroupIndices estimated_columns_;          ///< the free functions that are estimated
  Eigen::MatrixXd jagged_;                  ///< K_SS
  Eigen::MatrixXd inverse_;                 ///< A = (K_SS + D_S)^-1
  Eigen::MatrixXd estimated_functions_;     ///< F: their values at the points
  Eigen::MatrixXd coefficient_covariance_;  ///< G = (F'A F)^-1
};

/// What is known of the scale s of disturbances: ln s is N(ln median, spread^2) times s^-degrees exp(-squares / (2
/// s^2)).
class ScalePosterior {
 public:
  /// `degrees` of freedom that `squares`, a sum of squares over their variance at scale 1, was seen in; 0 and 0: none.
  ScalePosterior(const ModelConstants& constants, double degrees, double squares);

  /// The half-width h of the interval that holds a value of N(0, s^2) with `confidence`.
  double half_width(double confidence) const;
  /// How likely such a value is farther than `distance` >= 0 from 0, on both sides together.
  double probability_beyond(double distance) const;
  double median() const;

 private:
  Eigen::ArrayXd ln_s_, weight_;  ///< on a grid; the weights add up to 1
};

}  // namespace seqpoint::select
