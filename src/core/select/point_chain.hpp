/// \file
/// Covariances of the costs of points of one length each. The points in the order of their lengths are a chain: what
/// shorter ones say about longer ones is three numbers, one for each correlation length, so that factors take time in
/// proportion to the number of points.
#pragma once

#include <Eigen/Core>

#include <memory>

#include "core/select/cost_model.hpp"
#include "core/select/scaled_covariance.hpp"

namespace seqpoint::select {

/// Points whose costs have the covariance V = g^2 K + s^2 D.
class PointChain : public ScaledCovariance {
 public:
  /// The chain of these points; null if they have two lengths, or if two of them have the same shape. `disturbance`: D.
  static std::shared_ptr<const PointChain> of(const CostModel&, const ModelShapes& points,
                                              const Eigen::VectorXd& disturbance);

  Eigen::MatrixXd prepared(const Eigen::MatrixXd& columns) const override;
  Whitened whitened(double s2, double g2, const Eigen::MatrixXd& columns) const override;
  /// V^-1 `right`, with scales of 1.
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

 private:
  /// A factor L of V = L L', relative to size.
  struct Factor {
    Eigen::ArrayXd deviations;  ///< of each point given shorter ones
    Eigen::Array3Xd gains;      ///< change of the three numbers by a deviation of 1 from what shorter ones predict
  };
  PointChain(const CostModel&, const ModelShapes& points, const Eigen::VectorXd& disturbance);
  Factor factor(double s2, double g2) const;
  /// L^-1 times the columns, which are prepared().
  Eigen::MatrixXd whitened(const Factor&, const Eigen::MatrixXd& columns) const;

  GroupIndices order_;      ///< positions of the points by ascending length; members below are in this order
  Eigen::ArrayXd sizes_;    ///< relative sizes
  Eigen::ArrayXd noise_;    ///< D over the squared size
  Eigen::Array3Xd decays_;  ///< correlation with the previous point, by correlation length; 0 for the first
  double term_variance_, nugget_variance_;
};

}  // namespace seqpoint::select
