/// \file
/// Covariances of points whose factors take linear time for every pair of scales.
#pragma once

#include <Eigen/Core>

namespace seqpoint::select {

/// Columns of values at points in a basis in which the covariance is the unit matrix: a'b of two of them is a' V^-1 b.
struct Whitened {
  Eigen::MatrixXd columns;
  double ln_determinant = 0;  ///< of the covariance V
};

/// The covariance V = g^2 K + s^2 D of costs at points.
class ScaledCovariance {
 public:
  ScaledCovariance() = default;
  virtual ~ScaledCovariance() = default;
  ScaledCovariance(const ScaledCovariance&) = delete;
  ScaledCovariance& operator=(const ScaledCovariance&) = delete;

  /// Columns of values at the points, in the form that whitened() takes for any scales.
  virtual Eigen::MatrixXd prepared(const Eigen::MatrixXd& columns) const = 0;
  /// The columns, which are prepared().
  virtual Whitened whitened(double s2, double g2, const Eigen::MatrixXd& columns) const = 0;
};

}  // namespace seqpoint::select
