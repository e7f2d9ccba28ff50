// Goldfarb and Idnani, Mathematical Programming 27 (1983) 1: from the minimum without v >= 0, one violated bound after
// another is made to hold; points return once what holds them at 0 is used up.
#include "core/select/nonnegative_minimum.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace seqpoint {
namespace {

/// Constraints hold to this; weights above the second are not below 0.
constexpr double kHeld = 1e-9, kZero = -1e-13;

struct Solution {
  Eigen::VectorXd v, multipliers;
};

class DualActiveSet {
 public:
  DualActiveSet(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a)
      : q_(q), r_(r), a_(a), free_(static_cast<std::size_t>(q.rows())), bound_multipliers_(Eigen::VectorXd::Zero(q.rows())) {
    std::iota(free_.begin(), free_.end(), Eigen::Index{0});
  }

  /// Empty where no v >= 0 holds the constraints.
  Eigen::VectorXd minimum() {
    // Each step raises the objective, so no set comes twice, but rounding may have the last word.
    steps_left_ = 20 * q_.rows() + 100;
    for (;;) {
      v_ = solve(r_, Eigen::VectorXd::Ones(a_.rows())).v;
      const bool held = v_.allFinite() && (a_.rows() == 0 || ((a_ * v_).array() - 1).abs().maxCoeff() <= kHeld);
      Eigen::Index worst = 0;
      if (!held) return {};
      if (v_.minCoeff(&worst) >= kZero) return v_.cwiseMax(0.0);
      if (!activate_bound(worst)) return {};
    }
  }

 private:
  /// Q v + A'y = r and A v = c over the free points, v = 0 elsewhere: by Cholesky's factor of Q, which does not mind points of
  /// very different sizes, and the complement A Q^-1 A', which may be singular where constraints repeat each other.
  Solution solve(const Eigen::VectorXd& r, const Eigen::VectorXd& c) const {
    const Eigen::LLT<Eigen::MatrixXd> factor(q_(free_, free_));
    Eigen::VectorXd part = factor.solve(r(free_)), multipliers = Eigen::VectorXd::Zero(a_.rows());
    if (a_.rows() > 0) {
      const Eigen::MatrixXd a = a_(Eigen::all, free_), inverse = factor.solve(a.transpose());
      const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> complement(a * inverse);
      for (int time = 0; time < 2; ++time) {  // the second time takes away what rounding left of the first
        const Eigen::VectorXd more = complement.solve(a * part - c);
        multipliers += more;
        part -= inverse * more;
      }
    }
    Eigen::VectorXd v = Eigen::VectorXd::Zero(q_.rows());
    v(free_) = part;
    return {v, multipliers};
  }

  bool is_free(Eigen::Index p) const { return std::binary_search(free_.begin(), free_.end(), p); }

  /// Brings v_p up to 0, and points back in whose multipliers that would lower below 0. False where it cannot be done.
  bool activate_bound(Eigen::Index p) {
    while (steps_left_-- > 0 && !free_.empty()) {
      const auto [direction, multipliers] = solve(Eigen::VectorXd::Unit(q_.rows(), p), Eigen::VectorXd::Zero(a_.rows()));
      Eigen::VectorXd rise = q_ * direction;
      if (a_.rows() > 0) rise += a_.transpose() * multipliers;
      const bool can_move = direction[p] > 1e-10 / q_(p, p);
      const double full = can_move ? -v_[p] / direction[p] : std::numeric_limits<double>::infinity();
      std::pair<double, Eigen::Index> first{full, -1};  // how far to go, and what then returns
      for (Eigen::Index i = 0; i < rise.size(); ++i)
        if (rise[i] < 0 && !is_free(i)) first = std::min(first, {bound_multipliers_[i] / -rise[i], i}, [](auto x, auto y) { return x.first < y.first; });
      const auto [step, returning] = first;
      if (!(step < std::numeric_limits<double>::infinity())) return false;
      if (can_move) v_ += step * direction;
      for (Eigen::Index i = 0; i < rise.size(); ++i)
        if (!is_free(i)) bound_multipliers_[i] += step * rise[i];
      bound_multipliers_[p] += step;
      if (returning < 0) {
        std::erase(free_, p);
        return true;
      }
      bound_multipliers_[returning] = 0;
      free_.insert(std::lower_bound(free_.begin(), free_.end(), returning), returning);
    }
    return false;
  }

  const Eigen::MatrixXd& q_;
  const Eigen::VectorXd& r_;
  const Eigen::MatrixXd& a_;
  std::vector<Eigen::Index> free_;  ///< points that are not held at 0, ascending
  Eigen::VectorXd v_, bound_multipliers_;
  Eigen::Index steps_left_ = 0;
};

}  // namespace

Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a) {
  return DualActiveSet(q, r, a).minimum();
}

}  // namespace seqpoint
