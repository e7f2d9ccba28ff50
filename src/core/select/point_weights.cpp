#include "core/select/point_weights.hpp"

#include "core/select/nonnegative_minimum.hpp"

namespace seqpoint {
namespace {

Eigen::VectorXd rest_with_total(const CostModel& model, std::span<const std::size_t> groups) {
  Eigen::VectorXd r(static_cast<Eigen::Index>(groups.size()));
  for (std::size_t p = 0; p < groups.size(); ++p)
    r[static_cast<Eigen::Index>(p)] = model.rest_with_total()[static_cast<Eigen::Index>(groups[p])];
  return r;
}

}  // namespace

WeightProblem::WeightProblem(const CostModel& model, std::vector<std::size_t> groups)
    : model_(model),
      groups_(std::move(groups)),
      rest_(static_cast<Eigen::Index>(groups_.size()), static_cast<Eigen::Index>(groups_.size())),
      free_(model.free().cols(), static_cast<Eigen::Index>(groups_.size())) {
  for (std::size_t p = 0; p < groups_.size(); ++p) fill(p);
}

void WeightProblem::replace(std::size_t point, std::size_t group) {
  groups_[point] = group;
  fill(point);
}

void WeightProblem::fill(std::size_t point) {
  const auto p = static_cast<Eigen::Index>(point);
  for (std::size_t q = 0; q < groups_.size(); ++q)
    rest_(p, static_cast<Eigen::Index>(q)) = rest_(static_cast<Eigen::Index>(q), p) = model_.rest(groups_[point], groups_[q]);
  rest_(p, p) += model_.disturbance(groups_[point]);
  free_.col(p) = model_.free().row(static_cast<Eigen::Index>(groups_[point])).transpose();
}

WeightedPoints WeightProblem::solve() const {
  const Eigen::VectorXd r = rest_with_total(model_, groups_);
  const double softness = model_.constants().free;
  WeightedPoints best{groups_, nonnegative_minimum(rest_, r, free_), 0, true};
  if (best.weights.size() == 0) {
    best.exact = false;
    const Eigen::MatrixXd soft = rest_ + softness * free_.transpose() * free_;
    const Eigen::VectorXd towards = r + softness * free_.colwise().sum().transpose();
    best.weights = nonnegative_minimum(soft, towards, Eigen::MatrixXd::Ones(1, r.size()));
    // Lengths that differ by many orders of magnitude leave no digits: then every point stands for as much.
    if (best.weights.size() == 0) best.weights = Eigen::VectorXd::Constant(r.size(), 1 / static_cast<double>(r.size()));
  }
  best.variance = squared_error_of(best.weights);
  return best;
}

double WeightProblem::squared_error_of(const Eigen::VectorXd& v) const {
  const double missed = (free_ * v - Eigen::VectorXd::Ones(free_.rows())).squaredNorm();
  return model_.rest_of_total() - 2 * v.dot(rest_with_total(model_, groups_)) + v.dot(rest_ * v) + model_.constants().free * missed;
}

}  // namespace seqpoint
