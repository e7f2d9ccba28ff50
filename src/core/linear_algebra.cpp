#include "core/linear_algebra.hpp"

namespace seqpoint {

CholeskyFactor::CholeskyFactor(const Eigen::MatrixXd& matrix) : factor_(matrix) {}
Eigen::VectorXd CholeskyFactor::solve(const Eigen::VectorXd& right) const { return factor_.solve(right); }
Eigen::MatrixXd CholeskyFactor::solve(const Eigen::MatrixXd& right) const { return factor_.solve(right); }

Eigen::MatrixXd inverse_of_semidefinite(const Eigen::MatrixXd& matrix) {
  return matrix.ldlt().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
}

LeastSquares::LeastSquares(const Eigen::MatrixXd& columns) : factor_(columns) {}
Eigen::VectorXd LeastSquares::solve(const Eigen::VectorXd& right) const { return factor_.solve(right); }

}  // namespace seqpoint
