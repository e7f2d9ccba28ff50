/// \file
/// What measurements at given points say of a run: its weights, how far off they leave its total, and how sure that is.
#pragma once

#include <Eigen/Core>

#include <span>
#include <vector>

#include "core/select/cost_model.hpp"

namespace seqpoint {

/// Points that are fitted together, at most: the time grows with the cube of their number.
inline constexpr std::size_t kMostFittedPoints = 1000;

/// A point as it was measured, or is to be.
struct FittedPoint {
  CostCoordinates place;
  Eigen::RowVectorXd free;  ///< the free shapes there
  double disturbance = 0;   ///< D: variance of its mean, in units of the run's mean cost squared
};

/// The run that is projected, seen from some points. Shares p are of its iterations.
struct TargetRun {
  Eigen::VectorXd with_points;  ///< K_S p: covariance of each point's jagged cost with the run's mean
  double of_itself = 0;         ///< p'K p
  Eigen::RowVectorXd totals;    ///< of the free shapes, per iteration
  double mean_size = 1;         ///< of an iteration, over that of the run that the model is of
  double own_disturbance = 0;   ///< variance of what the run's own disturbances leave in its mean, at scale 1
};

/// A model point of each entry's signature, measured so often (docs/method.md).
std::vector<FittedPoint> fitted_points(const CostModel& model, std::span<const SignatureCount> at);

/// The run that the model is of, seen from signatures of it.
TargetRun own_run(const CostModel& model, std::span<const std::size_t> groups);
/// Any run of the same kind of signatures, in the model's units.
TargetRun other_run(const CostModel& model, std::span<const SignatureCount> histogram, std::span<const FittedPoint> points);

/// The free shapes are estimated from the points; what is left beside them has covariance K_SS + D_S, on a scale that is not known.
class PointFit {
 public:
  /// At least one point. Of the free shapes (columns of FittedPoint::free) the first are estimated, as many as vary apart over the
  /// points and leave a degree of freedom; one at least.
  PointFit(const JaggedCost& jagged, std::vector<FittedPoint> points);

  std::size_t size() const { return points_.size(); }
  double degrees_of_freedom() const { return static_cast<double>(size()) - static_cast<double>(columns_.size()); }
  /// U: expected squared error of sum_p v_p y_p about the target's mean, at scale 1, as a share of the mean squared. Shapes'
  /// totals that v misses cost what the shapes are not known by.
  double variance(const Eigen::VectorXd& v, const TargetRun& target) const;
  /// The weights of the best linear unbiased prediction of the target's mean; they may be negative.
  Eigen::VectorXd predictor(const TargetRun& target) const;
  /// The same where the points cannot tell the free shapes apart: their amounts are of variance `free`, none is left out.
  Eigen::VectorXd soft_predictor(const TargetRun& target, double free) const;
  /// Whether v meets all of the target's free shapes, those included that the points are too few to estimate.
  bool determines(const Eigen::VectorXd& v, const TargetRun& target) const;
  /// The best linear unbiased prediction for single signatures, from costs y at the points: coefficients of the free shapes, and of
  /// the covariances with the points.
  struct Curve {
    Eigen::VectorXd shapes, near;
  };
  Curve curve(const Eigen::VectorXd& y) const;
  double at(const Curve& curve, const JaggedCost& jagged, const CostCoordinates& place, const Eigen::RowVectorXd& free) const;
  /// Q: what is left of relative costs e beside the free shapes, over its variance at scale 1.
  double squares_left(const Eigen::VectorXd& e) const;

 private:
  std::vector<FittedPoint> points_;
  std::vector<Eigen::Index> columns_;    ///< of the free shapes: those estimated
  Eigen::MatrixXd jagged_;               ///< K_SS
  Eigen::VectorXd disturbance_;          ///< D_S
  Eigen::MatrixXd free_;                 ///< points x all free shapes
  Eigen::MatrixXd inverse_;              ///< A = (K_SS + D_S)^-1
  Eigen::MatrixXd estimated_;            ///< F: the columns of free_
  Eigen::MatrixXd free_covariance_;      ///< G = (F'A F)^-1
};

/// The half-width h, over sqrt(U), of the interval that holds with `confidence`: the mixture over the scale s of N(0, s^2), where
/// ln s is N(ln median, spread^2) times s^-degrees exp(-squares / (2 s^2)).
double mixture_half_width(const ModelConstants& constants, double degrees, double squares, double confidence);

}  // namespace seqpoint
