#include "core/select/point_weights.hpp"

#include <utility>

#include "core/algebra.hpp"

namespace seqpoint::select {

WeightProblem::WeightProblem(const CostModel& model, GroupIndices groups)
    : model_(model),
      groups_(std::move(groups)),
      covariance_with_total_(model.covariance_beside_free_with_total()(groups_)),
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
  WeightedPoints best{.groups = groups_, .weights = {}};
  best.weights = best_weights(best.meets_free_totals);
  best.variance = variance_of(best.weights);
  return best;
}

/// Sets `meets_free_totals` to false if no weights >= 0 meet all totals; never to true.
Eigen::VectorXd WeightProblem::best_weights(bool& meets_free_totals) const {
  const Eigen::VectorXd &totals = model_.free_totals(), &r = covariance_with_total_;
  // One function is constant: v adds up to 1, and F v = totals is (F - totals + 1) v = 1.
  const Eigen::VectorXd above_one = totals.array() - 1;
  Eigen::VectorXd v = nonnegative_minimum(covariance_beside_free_, r, free_functions_.colwise() - above_one);
  if (v.size() > 0) return v;
  meets_free_totals = false;
  const double variance = model_.constants().free;
  v = nonnegative_minimum(covariance_beside_free_ + variance * free_functions_.transpose() * free_functions_,
                          r + variance * free_functions_.transpose() * totals, Eigen::MatrixXd::Ones(1, r.size()));
  if (v.size() > 0) return v;
  // Lengths that differ by many orders of magnitude leave no digits: then all points have equal weights.
  return Eigen::VectorXd::Constant(r.size(), 1 / static_cast<double>(r.size()));
}

double WeightProblem::variance_of(const Eigen::VectorXd& v) const {
  const double missed = (free_functions_ * v - model_.free_totals()).squaredNorm();
  return model_.variance_beside_free_of_total() - 2 * v.dot(covariance_with_total_) +
         v.dot(covariance_beside_free_ * v) + model_.constants().free * missed;
}

}  // namespace seqpoint::select
