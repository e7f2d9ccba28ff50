#include "core/select/point_weights.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "core/linear_algebra.hpp"

namespace seqpoint::select {
namespace {

/// Constraints hold to the first; weights above the second count as not negative.
constexpr double kConstraintTolerance = 1e-9, kLeastWeight = -1e-13;

/// Goldfarb and Idnani, Mathematical Programming 27 (1983) 1: from the minimum without v >= 0, one violated bound after
/// another is made to hold; points return once what holds them at 0 is used up.
class DualActiveSet {
 public:
  DualActiveSet(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a)
      : q_(q), r_(r), a_(a), at_zero_(q.rows(), 0), bound_multipliers_(Eigen::VectorXd::Zero(q.rows())) {}

  /// Empty where no v >= 0 holds the constraints.
  Eigen::VectorXd minimum() {
    for (;;) {
      v_ = solve(r_, Eigen::VectorXd::Ones(a_.rows())).first;
      if (!v_.allFinite() ||
          !((a_ * v_ - Eigen::VectorXd::Ones(a_.rows())).array().abs() <= kConstraintTolerance).all())
        return {};
      Eigen::Index worst = 0;
      if (v_.minCoeff(&worst) >= kLeastWeight) return v_.cwiseMax(0.0);
      if (!activate_bound(worst)) return {};
    }
  }

 private:
  /// v and y with Q v + A'y = r and A v = c over the free points, v = 0 elsewhere. A Cholesky factor of Q keeps its
  /// precision with points of very different sizes; the complement A Q^-1 A' may be singular, where constraints depend
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
      const LeastSquares complement(a * inverse);
      for (int time = 0; time < 2; ++time) {  // the second time corrects the rounding of the first
        const Eigen::VectorXd more = complement.solve(a * part - c);
        y += more;
        part -= inverse * more;
      }
    }
    v(free) = part;
    return {v, y};
  }

  /// Raises v_p to 0, and frees points whose multipliers would fall below 0. False where that is impossible.
  bool activate_bound(Eigen::Index p) {
    while (bound_changes_left_-- > 0) {
      const auto [direction, y] = solve(Eigen::VectorXd::Unit(q_.rows(), p), Eigen::VectorXd::Zero(a_.rows()));
      const Eigen::VectorXd rise = q_ * direction + a_.transpose() * y;  // of the multipliers
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
  std::vector<char> at_zero_;  ///< points that are held there; the others are free
  Eigen::VectorXd v_, bound_multipliers_;
  /// Each change raises the objective, so that no set comes twice; the limit is for rounding, which may prevent that.
  Eigen::Index bound_changes_left_ = 20 * q_.rows() + 100;
};

}  // namespace

Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a) {
  return DualActiveSet(q, r, a).minimum();
}

WeightProblem::WeightProblem(const CostModel& model, GroupIndices groups)
    : model_(model),
      groups_(std::move(groups)),
      covariance_with_total_(model.covariance_beside_free_with_total()(groups_, Eigen::all)),
      covariance_beside_free_(groups_.size(), groups_.size()),
      free_functions_(model.free_functions()(groups_, Eigen::all).transpose()) {
  for (std::size_t p = 0; p < groups_.size(); ++p) {
    for (std::size_t q = 0; q <= p; ++q)
      covariance_beside_free_(p, q) = covariance_beside_free_(q, p) =
          model.covariance_beside_free(groups_[p], groups_[q]);
    covariance_beside_free_(p, p) += model.disturbance_variance(groups_[p]);
  }
}

WeightedPoints WeightProblem::solve() const {
  WeightedPoints best{.groups = groups_, .weights = Eigen::MatrixXd(groups_.size(), model_.runs())};
  for (Eigen::Index run = 0; run < model_.runs(); ++run) {
    best.weights.col(run) = weights_for(run, best.meets_free_totals);
    best.variance += variance_of(best.weights.col(run), run) / (model_.units()[run] * model_.units()[run]);
  }
  return best;
}

Eigen::VectorXd WeightProblem::weights_for(Eigen::Index run, bool& meets_free_totals) const {
  const Eigen::VectorXd totals = model_.free_totals().col(run), r = covariance_with_total_.col(run);
  // One function is constant: v adds up to 1, and F v = totals is (F - totals + 1) v = 1.
  const Eigen::VectorXd above_one = totals.array() - 1;
  Eigen::VectorXd v = nonnegative_minimum(covariance_beside_free_, r, free_functions_.colwise() - above_one);
  if (v.size() > 0) return v;
  meets_free_totals = false;
  const double variance = model_.constants().free;
  v = nonnegative_minimum(covariance_beside_free_ + variance * free_functions_.transpose() * free_functions_,
                          r + variance * free_functions_.transpose() * totals, Eigen::MatrixXd::Ones(1, r.size()));
  if (v.size() > 0) return v;
  // Lengths that differ by many orders of magnitude leave no digits: then every point stands for as much.
  return Eigen::VectorXd::Constant(r.size(), 1 / static_cast<double>(r.size()));
}

double WeightProblem::variance_of(const Eigen::VectorXd& v, Eigen::Index run) const {
  const double missed = (free_functions_ * v - model_.free_totals().col(run)).squaredNorm();
  return model_.variance_beside_free_of_total()[run] - 2 * v.dot(covariance_with_total_.col(run)) +
         v.dot(covariance_beside_free_ * v) + model_.constants().free * missed;
}

}  // namespace seqpoint::select
