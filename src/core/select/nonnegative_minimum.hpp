/// \file
/// A small quadratic program.
#pragma once

#include <Eigen/Core>

namespace seqpoint::select {

/// v >= 0 that minimises v'Qv / 2 - r'v with A v = 1 to 1e-9; empty where there is none. Q positive definite.
Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a);

}  // namespace seqpoint::select
