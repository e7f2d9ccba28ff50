/// \file
/// Covariances of any points, of one length or two, by one tridiagonal matrix for all scales.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "core/select/scaled_covariance.hpp"

namespace seqpoint::select {

/// V = D^1/2 Q (g^2 T + s^2) Q' D^1/2 with an orthogonal Q and a tridiagonal T. Making it takes time in proportion to
/// the cube of the number of points, but less than eigenvectors.
class TridiagonalCovariance : public ScaledCovariance {
 public:
  /// `misfit`: K. `disturbance`: the diagonal of D.
  TridiagonalCovariance(const Eigen::MatrixXd& misfit, const Eigen::VectorXd& disturbance);
  Eigen::MatrixXd prepared(const Eigen::MatrixXd& columns) const override;
  Whitened whitened(double s2, double g2, const Eigen::MatrixXd& columns) const override;

 private:
  Eigen::VectorXd deviations_;  ///< roots of D
  Eigen::Tridiagonalization<Eigen::MatrixXd> form_;
  Eigen::ArrayXd diagonal_, beside_;  ///< of T; the second has one number less
};

}  // namespace seqpoint::select
