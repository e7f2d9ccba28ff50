#include "core/select/point_weights.hpp"

#include <utility>

#include "core/select/nonnegative_minimum.hpp"

namespace seqpoint::select {

WeightProblem::WeightProblem(const CostModel& model, Groups groups)
    : groups_(std::move(groups)),
      softness_(model.constants().free),
      rest_of_total_(model.rest_of_total()),
      with_total_(model.rest_with_total()(groups_)),
      rest_(groups_.size(), groups_.size()),
      free_(model.free()(groups_, Eigen::all).transpose()) {
  for (std::size_t p = 0; p < groups_.size(); ++p) {
    for (std::size_t q = 0; q <= p; ++q) rest_(p, q) = rest_(q, p) = model.rest(groups_[p], groups_[q]);
    rest_(p, p) += model.disturbance(groups_[p]);
  }
}

WeightedPoints WeightProblem::solve() const {
  const Eigen::Index points = with_total_.size();
  WeightedPoints best{groups_, nonnegative_minimum(rest_, with_total_, free_), 0, true};
  if (best.weights.size() == 0) {
    best.exact = false;
    best.weights = nonnegative_minimum(rest_ + softness_ * free_.transpose() * free_,
                                       with_total_ + softness_ * free_.colwise().sum().transpose(),
                                       Eigen::MatrixXd::Ones(1, points));
    // Lengths that differ by many orders of magnitude leave no digits: then every point stands for as much.
    if (best.weights.size() == 0) best.weights = Eigen::VectorXd::Constant(points, 1 / static_cast<double>(points));
  }
  best.variance = squared_error_of(best.weights);
  return best;
}

double WeightProblem::squared_error_of(const Eigen::VectorXd& v) const {
  const double missed = ((free_ * v).array() - 1).square().sum();
  return rest_of_total_ - 2 * v.dot(with_total_) + v.dot(rest_ * v) + softness_ * missed;
}

}  // namespace seqpoint::select
