#include "core/select/point_weights.hpp"

#include <utility>

#include "core/nonnegative_minimum.hpp"

namespace seqpoint::select {

WeightProblem::WeightProblem(const CostModel& model, GroupIndices groups)
    : groups_(std::move(groups)),
      free_variance_(model.constants().free),
      variance_beside_free_of_total_(model.variance_beside_free_of_total()),
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
  const Eigen::Index points = covariance_with_total_.size();
  WeightedPoints best{.groups = groups_,
                      .weights = nonnegative_minimum(covariance_beside_free_, covariance_with_total_, free_functions_)};
  if (best.weights.size() == 0) {
    best.meets_free_totals = false;
    best.weights =
        nonnegative_minimum(covariance_beside_free_ + free_variance_ * free_functions_.transpose() * free_functions_,
                            covariance_with_total_ + free_variance_ * free_functions_.colwise().sum().transpose(),
                            Eigen::MatrixXd::Ones(1, points));
    // Lengths that differ by many orders of magnitude leave no digits: then every point stands for as much.
    if (best.weights.size() == 0) best.weights = Eigen::VectorXd::Constant(points, 1 / static_cast<double>(points));
  }
  best.variance = variance_of(best.weights);
  return best;
}

double WeightProblem::variance_of(const Eigen::VectorXd& v) const {
  const double missed = ((free_functions_ * v).array() - 1).square().sum();
  return variance_beside_free_of_total_ - 2 * v.dot(covariance_with_total_) + v.dot(covariance_beside_free_ * v) +
         free_variance_ * missed;
}

}  // namespace seqpoint::select
