/// \file
/// A small quadratic program.
#pragma once

#include <Eigen/Core>

namespace seqpoint {

/// v >= 0 that minimises v'Qv / 2 - r'v subject to A v = 1, each constraint to 1e-9. Q positive definite. Empty where
/// no v >= 0 holds A v = 1.
Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a);

}  // namespace seqpoint
