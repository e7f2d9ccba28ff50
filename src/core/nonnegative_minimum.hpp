/// \file
/// A quadratic program: the minimum of a convex quadratic function over non-negative vectors that meet equations.
#pragma once

#include <Eigen/Core>

namespace seqpoint {

/// The v >= 0 that minimises v'Qv / 2 - r'v subject to A v = 1 in every row of A (to 1e-9), for Q positive definite;
/// empty if no v >= 0 meets the equations.
Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a);

}  // namespace seqpoint
