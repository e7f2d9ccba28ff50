/// \file
/// Factorisations of plain matrices: each is compiled once, for any expression that is passed.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>

namespace seqpoint {

/// The factor L of a positive definite symmetric matrix L L'. solve(): the x with L L' x = `right`.
class CholeskyFactor {
 public:
  explicit CholeskyFactor(const Eigen::MatrixXd& matrix);
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;

 private:
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

/// Eigenvalues and eigenvectors of a symmetric matrix, which may be empty.
struct SymmetricEigen {
  explicit SymmetricEigen(const Eigen::MatrixXd&);
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< in columns
};

/// Orthonormal bases of the span of linearly independent columns (`columns`), and of its orthogonal complement.
struct SplitSpace {
  explicit SplitSpace(const Eigen::MatrixXd& columns);
  Eigen::MatrixXd columns, complement;
};

/// R of columns = Q R with Q'Q = 1: upper triangular, with signs that are not determined.
Eigen::MatrixXd upper_triangle(const Eigen::MatrixXd& columns);

/// Least squares: solve() returns the x that minimises |columns x - right|; the shortest x if several are equally good.
class LeastSquares {
 public:
  explicit LeastSquares(const Eigen::MatrixXd& columns);
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  Eigen::Index rank() const { return factor_.rank(); }

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor_;
};

}  // namespace seqpoint
