#include "core/select/conditioned_run.hpp"

#include <algorithm>

namespace seqpoint::select {

ConditionedRun::ConditionedRun(const CostModel& model, std::uint64_t measurements)
    : model_(&model),
      free_functions_(model.free_functions().cols()),
      is_point_(model.size(), 0),
      candidate_variance_(model.size()) {
  const double free = model.constants().free;
  inverse_ = -free * Eigen::MatrixXd::Identity(free_functions_, free_functions_);
  weights_ = Eigen::VectorXd::Constant(free_functions_, -free);  // every function's total is 1
  variance_ = model.variance_beside_free_of_total() + free * static_cast<double>(free_functions_);
  coefficients_ = -free * model.free_functions();
  covariance_ = model.covariance_beside_free_with_total() + free * model.free_functions().rowwise().sum();
  for (std::size_t g = 0; g < model.size(); ++g)
    candidate_variance_[g] = model.covariance_beside_free(g, g) + free * model.free_functions().row(g).squaredNorm() +
                             model.disturbance_variance(g, measurements);
}

std::vector<ConditionedRun::Replacement> ConditionedRun::replacements(std::size_t point, std::size_t most,
                                                                      double limit) const {
  const Eigen::Index row = row_of(point);
  const double precision = inverse_(row, row), weight = weights_[row] / precision;
  const double without = variance_ + weights_[row] * weight, least_gain = without - limit;
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

void ConditionedRun::add(std::size_t group) {
  const Eigen::Index size = inverse_.rows() + 1;
  inverse_.conservativeResizeLike(Eigen::MatrixXd::Zero(size, size));
  weights_.conservativeResizeLike(Eigen::VectorXd::Zero(size));
  coefficients_.conservativeResizeLike(Eigen::MatrixXd::Zero(coefficients_.rows(), size));
  points_.push_back(group);
  condition_on(points_.size() - 1, group);
}

void ConditionedRun::repeat(std::size_t point, double less) {
  const Eigen::Index row = row_of(point);
  update(factor_of_repeat(point, less), inverse_.col(row), weights_[row], coefficients_.col(row));
}

void ConditionedRun::replace(std::size_t point, std::size_t group) {
  const Eigen::Index row = row_of(point);
  update(-1 / inverse_(row, row), inverse_.col(row), weights_[row], coefficients_.col(row));
  inverse_.row(row).setZero();
  inverse_.col(row).setZero();
  weights_[row] = 0;
  coefficients_.col(row).setZero();
  is_point_[points_[point]] = 0;
  points_[point] = group;
  condition_on(point, group);
}

/// Adds a measurement of the signature to M^-1, where the point's row and column are 0.
void ConditionedRun::condition_on(std::size_t point, std::size_t group) {
  const ModelSignatures& all = model_->signatures();
  Eigen::VectorXd h(inverse_.rows());
  Eigen::VectorXd u_rows =
      -model_->constants().possible * (all.possible_functions * all.possible_functions.row(group).transpose());
  for (std::size_t g = 0; g < is_point_.size(); ++g) u_rows[g] -= model_->misfit_covariance(all, group, all, g);
  h.head(free_functions_) = model_->free_functions().row(group).transpose();
  for (std::size_t p = 0; p < points_.size(); ++p) h[row_of(p)] = p == point ? 0 : -u_rows[points_[p]];
  Eigen::VectorXd u = inverse_ * h;
  u[row_of(point)] = -1;
  // Column by column: compilers turn this loop into vector instructions, and not Eigen's product.
  for (Eigen::Index c = 0; c < h.size(); ++c) u_rows += h[c] * coefficients_.col(c);
  update(1 / candidate_variance_[group], u, -covariance_[group], u_rows);
  is_point_[group] = 1;
}

/// M^-1 + factor u u'. `u_total`: u' h_p; `u_rows`: u' h_g, a row per signature.
void ConditionedRun::update(double factor, const Eigen::VectorXd& u, double u_total, const Eigen::VectorXd& u_rows) {
  inverse_.noalias() += u * (factor * u).transpose();
  weights_ += factor * u_total * u;
  variance_ -= factor * u_total * u_total;
  covariance_ -= factor * u_total * u_rows;
  candidate_variance_ -= factor * u_rows.cwiseAbs2();
  coefficients_.noalias() += u_rows * (factor * u).transpose();
}

}  // namespace seqpoint::select
