/// \file
/// Plain matrices: factorisations, each compiled once for any expression that is passed; the minimum of a convex
/// quadratic function over non-negative vectors that meet equations; mixtures of normal distributions.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>

namespace seqpoint {

// --- Factorisations

/// The factor L of a positive definite symmetric matrix L L'. solve(): the x with L L' x = `right`.
class CholeskyFactor {
 public:
  explicit CholeskyFactor(const Eigen::MatrixXd& matrix);
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;

 private:
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

/// The x that minimises |columns x - right|; the shortest x if several are equally good.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& right);

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

// --- A quadratic program

/// The v >= 0 that minimises v'Qv / 2 - r'v subject to A v = 1 in every row of A (to 1e-9), for Q positive definite;
/// empty if no v >= 0 meets the equations.
Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a);

// --- Mixtures of normal distributions with mean 0

/// The h for which a value of the mixture lies within +-h with probability `confidence`, in (0, 1). `weight`: of each
/// component, adds up to 1. `variance`: of each component, >= 0; returns 0 if all variances are 0.
double normal_mixture_half_width(const Eigen::ArrayXd& weight, const Eigen::ArrayXd& variance, double confidence);

}  // namespace seqpoint
