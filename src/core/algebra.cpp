#include "core/algebra.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace seqpoint {

// --- Factorisations

CholeskyFactor::CholeskyFactor(const Eigen::MatrixXd& matrix) : factor_(matrix) {}
Eigen::VectorXd CholeskyFactor::solve(const Eigen::VectorXd& right) const { return factor_.solve(right); }
Eigen::MatrixXd CholeskyFactor::solve(const Eigen::MatrixXd& right) const { return factor_.solve(right); }

Eigen::VectorXd least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& right) {
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(columns).solve(right);
}

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

// --- A quadratic program

namespace {

/// Constraints are met to the first tolerance; weights above the second count as not negative.
constexpr double kConstraintTolerance = 1e-9, kMinWeight = -1e-13;

/// Goldfarb and Idnani, Mathematical Programming 27 (1983) 1: starts at the minimum without v >= 0, and enforces one
/// violated bound after another; a point is freed once its multiplier reaches 0.
class DualActiveSet {
 public:
  DualActiveSet(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a)
      : q_(q), r_(r), a_(a), at_zero_(q.rows(), 0), bound_multipliers_(Eigen::VectorXd::Zero(q.rows())) {}

  /// The minimum over v >= 0; empty if no v >= 0 meets the constraints, or rounding errors prevent an end of the
  /// search.
  Eigen::VectorXd minimum() {
    for (;;) {
      v_ = solve(r_, Eigen::VectorXd::Ones(a_.rows())).first;
      if (!v_.allFinite() ||
          !((a_ * v_ - Eigen::VectorXd::Ones(a_.rows())).array().abs() <= kConstraintTolerance).all())
        return {};
      Eigen::Index worst = 0;
      if (v_.minCoeff(&worst) >= kMinWeight) return v_.cwiseMax(0.0);
      if (!activate_bound(worst)) return {};
    }
  }

 private:
  /// v and y with Q v + A'y = r and A v = c over the free points, v = 0 elsewhere. A Cholesky factor of Q keeps its
  /// precision with points of very different sizes; the complement A Q^-1 A' may be singular, if constraints depend
  /// on each other.
  std::pair<Eigen::VectorXd, Eigen::VectorXd> solve(const Eigen::VectorXd& r, const Eigen::VectorXd& c) const {
    Eigen::Array<Eigen::Index, Eigen::Dynamic, 1> free(q_.rows());
    Eigen::Index count = 0;
    for (Eigen::Index p = 0; p < q_.rows(); ++p)
      if (!at_zero_[p]) free[count++] = p;
    free.conservativeResize(count);
    Eigen::VectorXd v = Eigen::VectorXd::Zero(q_.rows()), y = Eigen::VectorXd::Zero(a_.rows());
    const CholeskyFactor factor(q_(free, free));
    Eigen::VectorXd part = factor.solve(Eigen::VectorXd(r(free)));
    if (a_.rows() > 0) {
      const Eigen::MatrixXd a = a_(Eigen::all, free), inverse = factor.solve(Eigen::MatrixXd(a.transpose()));
      const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> complement(Eigen::MatrixXd(a * inverse));
      for (int time = 0; time < 2; ++time) {  // the second time corrects the rounding of the first
        const Eigen::VectorXd more = complement.solve(a * part - c);
        y += more;
        part -= inverse * more;
      }
    }
    v(free) = part;
    return {v, y};
  }

  /// Raises v_p to 0, and frees points whose multipliers would fall below 0. False if that is impossible, or
  /// bound_changes_left_ is used up.
  bool activate_bound(Eigen::Index p) {
    while (bound_changes_left_-- > 0) {
      const auto [direction, y] = solve(Eigen::VectorXd::Unit(q_.rows(), p), Eigen::VectorXd::Zero(a_.rows()));
      const Eigen::VectorXd rise = q_ * direction + a_.transpose() * y;  // change of the multipliers
      const bool can_move = direction[p] > 1e-10 / q_(p, p);
      double step = can_move ? -v_[p] / direction[p] : std::numeric_limits<double>::infinity();
      Eigen::Index returning = p;
      for (Eigen::Index i = 0; i < rise.size(); ++i) {
        const double most = at_zero_[i] && rise[i] < 0 ? bound_multipliers_[i] / -rise[i] : step;
        if (!(most < step)) continue;
        step = most;
        returning = i;
      }
      if (!(step < std::numeric_limits<double>::infinity())) return false;
      if (can_move) v_ += step * direction;
      for (Eigen::Index i = 0; i < rise.size(); ++i)
        if (at_zero_[i]) bound_multipliers_[i] += step * rise[i];
      bound_multipliers_[p] += step;
      at_zero_[returning] = returning == p;
      if (returning == p) return true;
      bound_multipliers_[returning] = 0;
    }
    return false;
  }

  const Eigen::MatrixXd& q_;
  const Eigen::VectorXd& r_;
  const Eigen::MatrixXd& a_;
  std::vector<char> at_zero_;  ///< points fixed at 0; the others are free
  Eigen::VectorXd v_, bound_multipliers_;
  /// Each change raises the objective, so no set occurs twice; the limit is for rounding errors, which may break that.
  Eigen::Index bound_changes_left_ = 20 * q_.rows() + 100;
};

}  // namespace

Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a) {
  return DualActiveSet(q, r, a).minimum();
}

// --- Mixtures of normal distributions with mean 0

namespace {

/// Weighted normal distributions with mean 0.
struct Mixture {
  Eigen::ArrayXd weight, deviation;

  /// One Newton step: h + (confidence - P(|X| <= h)) / the density of |X| at h, but at least h / 10.
  double next(double h, double confidence) const {
    const Eigen::ArrayXd z = h / deviation;
    const double held = (weight * (z / std::numbers::sqrt2).unaryExpr([](double a) { return std::erf(a); })).sum();
    const double slope = (weight / deviation * (-0.5 * z.square()).exp()).sum() * std::sqrt(2 / std::numbers::pi);
    return h + std::max((confidence - held) / slope, -0.9 * h);
  }
  /// Solves P(|X| <= h) = `confidence`, starting from h. The probability rises and is concave in h: after the first
  /// Newton step all iterates approach from below.
  double half_width(double h, double confidence) const {
    constexpr int kMaxSteps = 100;
    for (int i = 0; i < kMaxSteps; ++i) {
      const double before = std::exchange(h, next(h, confidence));
      if (std::abs(h - before) <= 1e-9 * h) break;  // the next step would change the last digit only
    }
    return h;
  }
  /// The weighted geometric mean of the standard deviations.
  double usual_deviation() const { return std::exp((weight * deviation.log()).sum() / weight.sum()); }
  /// Merges components of nearly the same deviation, within 1/16 of its logarithm.
  Mixture coarse() const {
    constexpr double kPerUnit = 16;
    const Eigen::ArrayXd bins = (deviation.log() * kPerUnit).round();
    const double first = bins.minCoeff();
    Mixture few{Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(bins.maxCoeff() - first) + 1), {}};
    for (Eigen::Index i = 0; i < weight.size(); ++i)
      few.weight[static_cast<Eigen::Index>(bins[i] - first)] += weight[i];
    few.deviation = (Eigen::ArrayXd::LinSpaced(few.weight.size(), first, bins.maxCoeff()) / kPerUnit).exp();
    return few;
  }
};

}  // namespace

double normal_mixture_half_width(const Eigen::ArrayXd& weight, const Eigen::ArrayXd& variance, double confidence) {
  if (!(variance.maxCoeff() > 0)) return 0;
  const Mixture all{weight, variance.max(variance.maxCoeff() * 1e-30).sqrt()};
  return all.half_width(all.coarse().half_width(2 * all.usual_deviation(), confidence), confidence);
}

}  // namespace seqpoint
