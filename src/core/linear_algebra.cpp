#include "core/linear_algebra.hpp"

#include <Eigen/Eigenvalues>

namespace seqpoint {

CholeskyFactor::CholeskyFactor(const Eigen::MatrixXd& matrix) : factor_(matrix) {}
Eigen::VectorXd CholeskyFactor::solve(const Eigen::VectorXd& right) const { return factor_.solve(right); }
Eigen::MatrixXd CholeskyFactor::solve(const Eigen::MatrixXd& right) const { return factor_.solve(right); }
SymmetricEigen::SymmetricEigen(const Eigen::MatrixXd& matrix) : vectors(matrix.rows(), matrix.rows()) {
  if (matrix.size() == 0) return;  // Eigen's solver rejects empty matrices
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  values = solver.eigenvalues();
  vectors = solver.eigenvectors();
}

SplitSpace::SplitSpace(const Eigen::MatrixXd& spanning) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(spanning);
  const Eigen::MatrixXd all = qr.householderQ();
  columns = all.leftCols(spanning.cols());
  complement = all.rightCols(all.cols() - spanning.cols());
}

Eigen::MatrixXd upper_triangle(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.matrixQR().topRows(columns.cols()).triangularView<Eigen::Upper>();
}

LeastSquares::LeastSquares(const Eigen::MatrixXd& columns) : factor_(columns) {}
Eigen::VectorXd LeastSquares::solve(const Eigen::VectorXd& right) const { return factor_.solve(right); }

}  // namespace seqpoint
