#include "core/select/tridiagonal_covariance.hpp"

#include <cmath>

namespace seqpoint::select {

TridiagonalCovariance::TridiagonalCovariance(const Eigen::MatrixXd& misfit, const Eigen::VectorXd& disturbance)
    : deviations_(disturbance.cwiseSqrt()),
      form_(deviations_.cwiseInverse().asDiagonal() * misfit * deviations_.cwiseInverse().asDiagonal()),
      diagonal_(form_.diagonal()),
      beside_(form_.subDiagonal()) {}

Eigen::MatrixXd TridiagonalCovariance::prepared(const Eigen::MatrixXd& columns) const {
  const Eigen::MatrixXd standard = deviations_.cwiseInverse().asDiagonal() * columns;
  return form_.matrixQ().adjoint() * standard;
}

Whitened TridiagonalCovariance::whitened(double s2, double g2, const Eigen::MatrixXd& columns) const {
  Whitened found{.columns = columns, .ln_determinant = 2 * deviations_.array().log().sum()};
  double deviation = 0;  // of each coordinate given those before it
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    const double share = i > 0 ? g2 * beside_[i - 1] / deviation : 0;
    deviation = std::sqrt(g2 * diagonal_[i] + s2 - share * share);
    for (Eigen::Index c = 0; c < columns.cols(); ++c) {
      double& value = found.columns(i, c);
      if (i > 0) value -= share * found.columns(i - 1, c);
      value /= deviation;
    }
    found.ln_determinant += 2 * std::log(deviation);
  }
  return found;
}

}  // namespace seqpoint::select
