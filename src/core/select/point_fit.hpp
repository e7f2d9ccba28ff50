/// \file
/// What measurements at given points say of a run: its weights, how far off they leave its total, and how sure that is.
#pragma once

#include <Eigen/Core>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

/// Points that are fitted together, at most: the time grows with the cube of their number.
inline constexpr std::size_t kMostFittedPoints = 1000;

/// The run that is projected, seen from some points. Shares p are of its iterations.
struct TargetCovariances {
  Eigen::VectorXd with_points;          ///< K_S p: covariance of each point's jagged cost with the run's mean
  double variance = 0;                  ///< p'K p
  Eigen::RowVectorXd free_totals;       ///< of the free shapes, per iteration
  double own_disturbance_variance = 0;  ///< variance of what the run's own disturbances leave in its mean, at scale 1

  /// Seen from some of the points.
  TargetCovariances at_points(const GroupIndices& points) const {
    return {with_points(points), variance, free_totals, own_disturbance_variance};
  }
};
TargetCovariances target_covariances(const CostModel& model, const ModelSignatures& run, const ModelSignatures& points);

/// The free shapes are estimated from points; what is left beside them has covariance K_SS + D_S, on an unknown scale.
class PointFit {
 public:
  /// At least one point. `disturbance`: D, variance of each one's mean. Of the free shapes the first are estimated, as
  /// many as vary apart over the points and leave a degree of freedom; one at least. The model has to outlive the fit.
  PointFit(const CostModel& model, const ModelSignatures& points, const Eigen::VectorXd& disturbance);

  double degrees_of_freedom() const { return static_cast<double>(disturbance_.size() - estimated_functions_.cols()); }
  /// U: expected squared error of sum_p v_p y_p about the target's mean, at scale 1, as a share of the mean squared.
  /// Shapes' totals that v misses cost what the shapes are not known by.
  double variance(const Eigen::VectorXd& v, const TargetCovariances& target) const;
  /// The weights of the best linear unbiased prediction of the target's mean; they may be negative.
  Eigen::VectorXd predictor(const TargetCovariances& target) const;
  /// The same where the points cannot tell the free shapes apart: none is left out, each is of the model's variance.
  Eigen::VectorXd regularised_predictor(const TargetCovariances& target) const;
  /// Whether v meets all of the target's free shapes, those included that the points are too few to estimate.
  bool meets_free_totals(const Eigen::VectorXd& v, const TargetCovariances& target) const;
  /// The best linear unbiased prediction for single signatures, from costs y at the points.
  Eigen::VectorXd curve(const Eigen::VectorXd& y, const ModelSignatures& at) const;
  /// Q: what is left of relative costs e beside the free shapes, over its variance at scale 1.
  double residual_squares(const Eigen::VectorXd& e) const;

 private:
  Eigen::VectorXd coefficients(const Eigen::VectorXd& y) const;  ///< of the free shapes, that fit costs y best

  const CostModel& model_;
  ModelSignatures points_;
  Eigen::VectorXd disturbance_;             ///< D_S
  GroupIndices estimated_columns_;          ///< of the free shapes: those estimated
  Eigen::MatrixXd jagged_;                  ///< K_SS
  Eigen::MatrixXd inverse_;                 ///< A = (K_SS + D_S)^-1
  Eigen::MatrixXd estimated_functions_;     ///< F: those columns
  Eigen::MatrixXd coefficient_covariance_;  ///< G = (F'A F)^-1
};

/// The half-width h, over sqrt(U), of the interval that holds with `confidence`: the mixture over the scale s of N(0,
/// s^2), where ln s is N(ln median, spread^2) times s^-degrees exp(-squares / (2 s^2)).
double mixture_half_width(const ModelConstants& constants, double degrees, double squares, double confidence);

}  // namespace seqpoint::select
