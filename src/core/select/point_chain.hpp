/// \file
/// Covariances of the costs of points of one length each. The points in the order of their lengths are a chain: what
/// shorter ones say about longer ones is three numbers, one for each correlation length, so that factors take time in
/// proportion to the number of points.
#pragma once

#include <Eigen/Core>

#include <memory>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

/// Points whose costs have the covariance g^2 K + s^2 D.
class PointChain {
 public:
  /// The chain of these points; null if they have two lengths, or if two of them have the same shape. `disturbance`: D.
  static std::shared_ptr<const PointChain> of(const CostModel&, const ModelShapes& points,
                                              const Eigen::VectorXd& disturbance);

  /// A factor L of g^2 K + s^2 D = L L'. The chain has to outlive it.
  class Factor {
   public:
    Factor(const PointChain&, double s2, double g2);
    /// L^-1 `right`, with the rows in the order of the lengths: whitened(a)' whitened(b) = a' (g^2 K + s^2 D)^-1 b.
    Eigen::MatrixXd whitened(const Eigen::MatrixXd& right) const;
    /// (g^2 K + s^2 D)^-1 `right`.
    Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
    /// ln |g^2 K + s^2 D|.
    double ln_determinant() const;

   private:
    const PointChain& chain_;
    Eigen::ArrayXd deviations_;  ///< of each point given shorter ones, relative to size
    Eigen::Array3Xd gains_;      ///< change of the three numbers by a deviation of 1 from what shorter ones predict
  };

 private:
  PointChain(const CostModel&, const ModelShapes& points, const Eigen::VectorXd& disturbance);

  GroupIndices order_;      ///< positions of the points by ascending length; members below are in this order
  Eigen::ArrayXd sizes_;    ///< relative sizes
  Eigen::ArrayXd noise_;    ///< D over the squared size
  Eigen::Array3Xd decays_;  ///< correlation with the previous point, by correlation length; 0 for the first
  double term_variance_, nugget_variance_;
};

}  // namespace seqpoint::select
