/// \file
/// A small quadratic program.
#pragma once

#include <Eigen/Core>

namespace seqpoint::select {

/// The v >= 0 that minimises v'Qv / 2 - r'v subject to A v = 1 (to 1e-9), for Q positive definite; empty where there is
/// none.
Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a);

}  // namespace seqpoint::select
