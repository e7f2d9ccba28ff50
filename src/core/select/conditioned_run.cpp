#include "core/select/conditioned_run.hpp"

#include <algorithm>

namespace seqpoint::select {
namespace {

/// Adds factor x `values` to as many numbers. Compilers turn this loop into vector instructions, but not Eigen's
/// products of whole matrices.
void add_multiple(double* numbers, double factor, const Eigen::Ref<const Eigen::VectorXd>& values) {
  const double* const from = values.data();
  for (Eigen::Index i = 0; i < values.size(); ++i) numbers[i] += factor * from[i];
}

}  // namespace

ConditionedRun::ConditionedRun(const CostModel& model, std::uint64_t measurements)
    : model_(&model),
      free_functions_(model.free_functions().cols()),
      is_point_(model.size(), 0),
      candidate_variance_(model.size()) {
  const double free = kModelConstants.free;
  const Eigen::VectorXd& totals = model.free_totals();
  inverse_ = -free * Eigen::MatrixXd::Identity(free_functions_, free_functions_);
  weights_ = -free * totals;
  variance_ = model.variance_beside_free_of_total() + free * totals.squaredNorm();
  coefficients_ = -free * model.free_functions();
  covariance_ = model.covariance_beside_free_with_total() + free * (model.free_functions() * totals);
  for (std::size_t g = 0; g < model.size(); ++g)
    candidate_variance_[g] = model.covariance_beside_free(g, g) + free * model.free_functions().row(g).squaredNorm() +
                             model.disturbance_variance(g, measurements);
}

std::optional<std::size_t> ConditionedRun::best_addition() const {
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t g = 0; g < is_point_.size(); ++g) {
    if (has(g) || !(variance_reduction(g) > most)) continue;
    most = variance_reduction(g);
    best = g;
  }
  return best;
}

std::vector<ConditionedRun::Replacement> ConditionedRun::replacements(std::size_t point, std::size_t most,
                                                                      double limit) const {
  const Eigen::Index row = row_of(point);
  const double precision = inverse_(row, row);
  const double weight = weights_[row] / precision;
  const double without = variance_ + weights_[row] * weight, least_gain = without - limit;
  std::vector<Replacement> found;
  for (std::size_t g = 0; g < is_point_.size(); ++g) {
    const double coefficient = coefficients_(g, row);
    const double variance = candidate_variance_[g] + coefficient * coefficient / precision;
    const double above = std::max(covariance_[g] + coefficient * weight, 0.0), gain = above * above;
    if (gain > 0 && gain > least_gain * variance && !has(g)) found.push_back({without - gain / variance, g});
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

/// Adds a measurement of the shape to M^-1, whose row and column of the point are 0.
void ConditionedRun::condition_on(std::size_t point, std::size_t group) {
  const ModelShapes& all = model_->shapes();
  Eigen::VectorXd h(inverse_.rows());
  Eigen::VectorXd u_rows =
      -kModelConstants.possible * (all.possible_functions * all.possible_functions.row(group).transpose());
  for (std::size_t g = 0; g < is_point_.size(); ++g) u_rows[g] -= model_->misfit_covariance(all, group, all, g);
  h.head(free_functions_) = model_->free_functions().row(group).transpose();
  for (std::size_t p = 0; p < points_.size(); ++p) h[row_of(p)] = p == point ? 0 : -u_rows[points_[p]];
  Eigen::VectorXd u = inverse_ * h;
  u[row_of(point)] = -1;
  for (Eigen::Index c = 0; c < h.size(); ++c) add_multiple(u_rows.data(), h[c], coefficients_.col(c));
  update(1 / candidate_variance_[group], u, -covariance_[group], u_rows);
  is_point_[group] = 1;
}

/// M^-1 + factor u u'. `u_total`: u' h_p; `u_rows`: u' h_g, a row per shape.
void ConditionedRun::update(double factor, const Eigen::VectorXd& u, double u_total, const Eigen::VectorXd& u_rows) {
  inverse_.noalias() += u * (factor * u).transpose();
  weights_ += u * (factor * u_total);
  variance_ -= factor * (u_total * u_total);
  add_multiple(covariance_.data(), -(factor * u_total), u_rows);
  candidate_variance_ -= factor * u_rows.cwiseAbs2();
  for (Eigen::Index c = 0; c < u.size(); ++c) add_multiple(coefficients_.col(c).data(), factor * u[c], u_rows);
}

}  // namespace seqpoint::select
