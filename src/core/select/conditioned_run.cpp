#include "core/select/conditioned_run.hpp"

#include <Eigen/LU>

#include <algorithm>

namespace seqpoint::select {

ConditionedRun::ConditionedRun(const CostModel& model)
    : model_(&model),
      free_functions_(model.free_functions().cols()),
      is_point_(model.size(), 0),
      candidate_variance_(model.size()) {
  const double free = model.constants().free;
  solution_.inverse = -free * Eigen::MatrixXd::Identity(free_functions_, free_functions_);
  solution_.weights = Eigen::VectorXd::Constant(free_functions_, -free);  // every function's total is 1
  solution_.variance = model.variance_beside_free_of_total() + free * static_cast<double>(free_functions_);
  coefficients_ = -free * model.free_functions();
  covariance_ = model.covariance_beside_free_with_total() + free * model.free_functions().rowwise().sum();
  for (std::size_t g = 0; g < model.size(); ++g)
    candidate_variance_[g] = model.covariance_beside_free(g, g) + free * model.free_functions().row(g).squaredNorm() +
                             model.disturbance_variance(g);
}

std::vector<ConditionedRun::Replacement> ConditionedRun::replacements(std::size_t point, std::size_t most,
                                                                      double limit) const {
  const Eigen::Index row = row_of(point);
  const double precision = solution_.inverse(row, row), weight = solution_.weights[row] / precision;
  const double without = solution_.variance + solution_.weights[row] * weight, least_gain = without - limit;
  std::vector<Replacement> found;
  for (std::size_t g = 0; g < is_point_.size(); ++g) {
    const double coefficient = coefficients_(g, row), covariance = covariance_[g] + coefficient * weight;
    const double variance = candidate_variance_[g] + coefficient * coefficient / precision;
    if (covariance > 0 && covariance * covariance > least_gain * variance && !has(g))
      found.push_back({without - covariance * covariance / variance, g});
  }
  most = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
  found.resize(most);
  return found;
}

/// Exact totals: Woodbury's identity removes the block -I / free from M.
std::optional<double> ConditionedRun::exact_variance(std::size_t point, std::size_t group) const {
  const auto points = static_cast<Eigen::Index>(points_.size()), row = row_of(point);
  if (points < free_functions_) return std::nullopt;
  Solution then = solution_;
  const Eigen::VectorXd leaving = solution_.inverse.col(row);
  const double coefficient = coefficients_(group, row) / leaving[row];
  const double covariance = covariance_[group] + coefficient * solution_.weights[row];
  const double variance = candidate_variance_[group] + coefficient * coefficient * leaving[row];
  then.update(-1 / leaving[row], leaving, solution_.weights[row]);
  then.clear(row);
  Eigen::VectorXd joining = then.inverse * h_of(group, point);
  joining[row] = -1;
  then.update(1 / variance, joining, -covariance);
  Eigen::MatrixXd softness = then.inverse.topLeftCorner(free_functions_, free_functions_);
  softness.diagonal().array() += model_->constants().free;
  const Eigen::VectorXd missed = then.weights.head(free_functions_), moved = softness.partialPivLu().solve(missed);
  const Eigen::VectorXd weights =
      then.weights.tail(points) - then.inverse.bottomLeftCorner(points, free_functions_) * moved;
  if (!(weights.minCoeff() >= 0)) return std::nullopt;
  return then.variance + missed.dot(moved);
}

double ConditionedRun::variance_reduction_of_lower_disturbance(std::size_t point, double less) const {
  const Eigen::Index row = row_of(point);
  return less * solution_.weights[row] * solution_.weights[row] / (1 - less * solution_.inverse(row, row));
}

void ConditionedRun::add(std::size_t group) {
  const Eigen::Index size = solution_.inverse.rows() + 1;
  solution_.inverse.conservativeResizeLike(Eigen::MatrixXd::Zero(size, size));
  solution_.weights.conservativeResizeLike(Eigen::VectorXd::Zero(size));
  coefficients_.conservativeResizeLike(Eigen::MatrixXd::Zero(coefficients_.rows(), size));
  points_.push_back(group);
  condition_on(points_.size() - 1, group);
}

void ConditionedRun::replace(std::size_t point, std::size_t group) {
  const Eigen::Index row = row_of(point);
  update(-1 / solution_.inverse(row, row), solution_.inverse.col(row), solution_.weights[row], coefficients_.col(row));
  solution_.clear(row);
  coefficients_.col(row).setZero();
  is_point_[points_[point]] = 0;
  points_[point] = group;
  condition_on(point, group);
}

void ConditionedRun::lower_disturbance(std::size_t point, double less) {
  const Eigen::Index row = row_of(point);
  update(less / (1 - less * solution_.inverse(row, row)), solution_.inverse.col(row), solution_.weights[row],
         coefficients_.col(row));
}

/// h of a signature, with 0 for the point `but`.
Eigen::VectorXd ConditionedRun::h_of(std::size_t group, std::size_t but) const {
  Eigen::VectorXd h(solution_.inverse.rows());
  h.head(free_functions_) = model_->free_functions().row(group).transpose();
  for (std::size_t p = 0; p < points_.size(); ++p)
    h[row_of(p)] = p == but ? 0 : model_->covariance_beside_free(points_[p], group);
  return h;
}

/// Adds a measurement of the signature to M^-1, where the point's row and column are 0.
void ConditionedRun::condition_on(std::size_t point, std::size_t group) {
  const Eigen::VectorXd h = h_of(group, point);
  Eigen::VectorXd u = solution_.inverse * h, u_signatures(is_point_.size());
  u[row_of(point)] = -1;
  for (std::size_t g = 0; g < is_point_.size(); ++g) u_signatures[g] = -model_->covariance_beside_free(group, g);
  // Column by column: compilers turn this loop into vector instructions, and not Eigen's product.
  for (Eigen::Index c = 0; c < h.size(); ++c) u_signatures += h[c] * coefficients_.col(c);
  update(1 / candidate_variance_[group], u, -covariance_[group], u_signatures);
  is_point_[group] = 1;
}

/// M^-1 + factor u u'. `u_total`: u' h_p; `u_signatures`: u' h_g.
void ConditionedRun::update(double factor, const Eigen::VectorXd& u, double u_total,
                            const Eigen::VectorXd& u_signatures) {
  solution_.update(factor, u, u_total);
  covariance_ -= factor * u_total * u_signatures;
  candidate_variance_ -= factor * u_signatures.cwiseAbs2();
  coefficients_.noalias() += u_signatures * (factor * u).transpose();
}

void ConditionedRun::Solution::update(double factor, const Eigen::VectorXd& u, double u_total) {
  inverse.noalias() += u * (factor * u).transpose();
  weights += factor * u_total * u;
  variance -= factor * u_total * u_total;
}

void ConditionedRun::Solution::clear(Eigen::Index row) {
  inverse.row(row).setZero();
  inverse.col(row).setZero();
  weights[row] = 0;
}

}  // namespace seqpoint::select
