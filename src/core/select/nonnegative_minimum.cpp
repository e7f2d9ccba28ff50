#include "nonnegative_minimum.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace seqpoint {
namespace {

/// Positions of the points that are not held at 0, ascending.
using Passive = std::vector<Eigen::Index>;

Eigen::VectorXd spread(const Eigen::VectorXd& part, const Passive& passive, Eigen::Index size) {
  Eigen::VectorXd whole = Eigen::VectorXd::Zero(size);
  for (std::size_t i = 0; i < passive.size(); ++i) whole[passive[i]] = part[static_cast<Eigen::Index>(i)];
  return whole;
}

struct Solution {
  Eigen::VectorXd v, multipliers;
};

/// Q v + A'y = r and A v = c over the passive points: by Cholesky's factor of Q, which does not mind points of very
/// different sizes, and the complement A Q^-1 A', which may be singular where constraints repeat each other.
class Equations {
 public:
  Equations(const Eigen::MatrixXd& q, const Eigen::MatrixXd& a, const Passive& passive) : a_(a(Eigen::all, passive)) {
    factor_.compute(q(passive, passive));
    if (a.rows() == 0) return;
    inverse_ = factor_.solve(a_.transpose());
    complement_.compute(a_ * inverse_);
  }

  Solution solve(const Eigen::VectorXd& r, const Eigen::VectorXd& c) const {
    Solution solution{factor_.solve(r), Eigen::VectorXd::Zero(a_.rows())};
    // The second time takes away what rounding left of the first.
    for (int time = 0; time < 2 && a_.rows() > 0; ++time) {
      const Eigen::VectorXd more = complement_.solve(a_ * solution.v - c);
      solution.multipliers += more;
      solution.v -= inverse_ * more;
    }
    return solution;
  }

 private:
  Eigen::MatrixXd a_, inverse_;  ///< inverse_: Q^-1 A'
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> complement_;
};

/// The minimum over the passive points alone, whatever its signs. Empty where no v holds the constraints.
Solution over(const Passive& passive, const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a) {
  constexpr double kHeld = 1e-9;
  Solution solution = Equations(q, a, passive).solve(r(passive), Eigen::VectorXd::Ones(a.rows()));
  solution.v = spread(solution.v, passive, q.rows());
  if (!solution.v.allFinite()) return {};
  if (a.rows() > 0 && ((a * solution.v).array() - 1).abs().maxCoeff() > kHeld) return {};
  return solution;
}

/// By how much the objective falls per share that is given to a point.
Eigen::VectorXd slopes(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a, const Solution& solution) {
  Eigen::VectorXd slope = r - q * solution.v;
  if (a.rows() > 0) slope -= a.transpose() * solution.multipliers;
  return slope;
}

/// What turns negative is left out, all of it at once, until nothing does. Nearly always that is the minimum, which is
/// then plain to see: nothing left out would lower the objective. Empty where it is not.
Eigen::VectorXd guessed_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a) {
  Passive passive(static_cast<std::size_t>(q.rows()));
  std::iota(passive.begin(), passive.end(), Eigen::Index{0});
  while (!passive.empty()) {
    const Solution solution = over(passive, q, r, a);
    if (solution.v.size() == 0) return {};
    if (std::erase_if(passive, [&](Eigen::Index p) { return !(solution.v[p] > 0); }) > 0) continue;
    const Eigen::VectorXd slope = slopes(q, r, a, solution);
    for (Eigen::Index p = 0; p < q.rows(); ++p)
      if (solution.v[p] == 0 && slope[p] > 1e-9 * r.cwiseAbs().maxCoeff()) return {};
    return solution.v;
  }
  return {};
}

/// Goldfarb and Idnani, Mathematical Programming 27 (1983) 1: from the minimum without v >= 0, one violated bound after
/// another is made to hold, while the slopes of the points that are held at 0 stay below it.
class DualActiveSet {
 public:
  DualActiveSet(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a)
      : q_(q), r_(r), a_(a), passive_(static_cast<std::size_t>(q.rows())), held_(Eigen::VectorXd::Zero(q.rows())) {
    std::iota(passive_.begin(), passive_.end(), Eigen::Index{0});
  }

  /// Empty where no v >= 0 holds the constraints.
  Eigen::VectorXd minimum() {
    v_ = over(passive_, q_, r_, a_).v;
    // Each step raises the objective, so no set comes twice, but rounding may have the last word.
    steps_left_ = 20 * q_.rows() + 100;
    while (v_.size() > 0) {
      Eigen::Index worst = 0;
      if (v_.minCoeff(&worst) >= -kZero) return v_.cwiseMax(0.0);
      if (!hold(worst)) return {};
      // Anew, since steps add their errors up.
      v_ = over(passive_, q_, r_, a_).v;
    }
    return {};
  }

 private:
  static constexpr double kZero = 1e-13;

  /// Brings v_p up to 0, and points back in whose slopes that would raise above 0. False where it cannot be done.
  bool hold(Eigen::Index p) {
    while (steps_left_-- > 0 && !passive_.empty()) {
      const Solution way = Equations(q_, a_, passive_).solve(spread_unit(p), Eigen::VectorXd::Zero(a_.rows()));
      const Eigen::VectorXd direction = spread(way.v, passive_, q_.rows());
      Eigen::VectorXd rise = q_ * direction;
      if (a_.rows() > 0) rise += a_.transpose() * way.multipliers;
      const bool can_move = direction[p] > 1e-10 / q_(p, p);
      const double full = can_move ? -v_[p] / direction[p] : std::numeric_limits<double>::infinity();
      const auto [partial, blocking] = first_to_return(rise);
      const double step = std::min(full, partial);
      if (!std::isfinite(step)) return false;
      if (can_move) v_ += step * direction;
      for (Eigen::Index i = 0; i < held_.size(); ++i)
        if (!is_passive(i)) held_[i] += step * rise[i];
      held_[p] += step;
      if (full <= partial) {
        std::erase(passive_, p);
        return true;
      }
      held_[blocking] = 0;
      passive_.insert(std::lower_bound(passive_.begin(), passive_.end(), blocking), blocking);
    }
    return false;
  }

  bool is_passive(Eigen::Index i) const { return std::binary_search(passive_.begin(), passive_.end(), i); }

  Eigen::VectorXd spread_unit(Eigen::Index p) const {
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(passive_.size()));
    unit[std::lower_bound(passive_.begin(), passive_.end(), p) - passive_.begin()] = 1;
    return unit;
  }

  /// How far to go until what holds a point at 0 is used up, and which point that is.
  std::pair<double, Eigen::Index> first_to_return(const Eigen::VectorXd& rise) const {
    std::pair<double, Eigen::Index> first{std::numeric_limits<double>::infinity(), -1};
    for (Eigen::Index i = 0; i < rise.size(); ++i) {
      if (is_passive(i) || !(rise[i] < 0)) continue;
      if (const double step = held_[i] / -rise[i]; step < first.first) first = {step, i};
    }
    return first;
  }

  const Eigen::MatrixXd& q_;
  const Eigen::VectorXd& r_;
  const Eigen::MatrixXd& a_;
  Passive passive_;
  Eigen::VectorXd v_, held_;  ///< held_: multipliers of v >= 0
  Eigen::Index steps_left_ = 0;
};

}  // namespace

Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a) {
  Eigen::VectorXd guessed = guessed_minimum(q, r, a);
  return guessed.size() > 0 ? guessed : DualActiveSet(q, r, a).minimum();
}

}  // namespace seqpoint
