/// \file
/// A quadratic program: the least of a convex square over what is not negative and meets equations.
#pragma once

#include <Eigen/Core>

namespace seqpoint {

/// The v >= 0 that minimises v'Qv / 2 - r'v subject to A v = 1 (to 1e-9), for Q positive definite; empty where there is
/// none.
Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a);

}  // namespace seqpoint
