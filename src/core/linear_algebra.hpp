/// \file
/// Factorisations, of matrices as they are: each is compiled once, whatever expressions it is asked for.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>

namespace seqpoint {

/// The factor L of a symmetric matrix L L', positive definite.
class CholeskyFactor {
 public:
  explicit CholeskyFactor(const Eigen::MatrixXd& matrix);
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;

 private:
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

/// Eigenvalues and eigenvectors of a symmetric matrix.
struct SymmetricEigen {
  explicit SymmetricEigen(const Eigen::MatrixXd&);
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< in columns
};

/// Orthonormal bases of what independent columns span, and of what is left.
struct SplitSpace {
  explicit SplitSpace(const Eigen::MatrixXd& columns);
  Eigen::MatrixXd columns, complement;
};

/// Least squares, of the smallest solution where several are as good.
class LeastSquares {
 public:
  explicit LeastSquares(const Eigen::MatrixXd& columns);
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  Eigen::Index rank() const { return factor_.rank(); }

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor_;
};

}  // namespace seqpoint
