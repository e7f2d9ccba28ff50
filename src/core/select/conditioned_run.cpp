#include "core/select/conditioned_run.hpp"

#include <Eigen/LU>

#include <algorithm>

namespace seqpoint::select {

ConditionedRun::ConditionedRun(const CostModel& model)
    : model_(&model), shapes_(model.free().cols()), is_point_(model.size(), 0), candidate_variance_(model.size()) {
  const double free = model.constants().free;
  now_.inverse = -free * Eigen::MatrixXd::Identity(shapes_, shapes_);
  now_.of_total = Eigen::VectorXd::Constant(shapes_, -free);  // every shape's total is 1
  now_.variance = model.rest_of_total() + free * static_cast<double>(shapes_);
  coefficients_ = -free * model.free();
  covariance_ = model.rest_with_total() + free * model.free().rowwise().sum();
  for (std::size_t g = 0; g < model.size(); ++g)
    candidate_variance_[g] = model.rest(g, g) + free * model.free().row(g).squaredNorm() + model.disturbance(g);
}

std::vector<ConditionedRun::Replacement> ConditionedRun::replacements(std::size_t point, std::size_t most,
                                                                      double limit) const {
  const Eigen::Index row = row_of(point);
  const double precision = now_.inverse(row, row), weight = now_.of_total[row] / precision;
  const double without = now_.variance + now_.of_total[row] * weight, least_gain = without - limit;
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

/// The block -I / free of M is made 0 by Woodbury's identity.
std::optional<double> ConditionedRun::exact_variance(std::size_t point, std::size_t group) const {
  const auto points = static_cast<Eigen::Index>(points_.size()), row = row_of(point);
  if (points < shapes_) return std::nullopt;
  Solution then = now_;
  const Eigen::VectorXd leaving = now_.inverse.col(row);
  const double coefficient = coefficients_(group, row) / leaving[row];
  const double covariance = covariance_[group] + coefficient * now_.of_total[row];
  const double variance = candidate_variance_[group] + coefficient * coefficient * leaving[row];
  then.update(-1 / leaving[row], leaving, now_.of_total[row]);
  then.clear(row);
  Eigen::VectorXd joining = then.inverse * with_points(group, point);
  joining[row] = -1;
  then.update(1 / variance, joining, -covariance);
  Eigen::MatrixXd softness = then.inverse.topLeftCorner(shapes_, shapes_);
  softness.diagonal().array() += model_->constants().free;
  const Eigen::VectorXd missed = then.of_total.head(shapes_), moved = softness.partialPivLu().solve(missed);
  const Eigen::VectorXd weights = then.of_total.tail(points) - then.inverse.bottomLeftCorner(points, shapes_) * moved;
  if (!(weights.minCoeff() >= 0)) return std::nullopt;
  return then.variance + missed.dot(moved);
}

double ConditionedRun::gain_of_less_disturbance(std::size_t point, double less) const {
  const Eigen::Index row = row_of(point);
  return less * now_.of_total[row] * now_.of_total[row] / (1 - less * now_.inverse(row, row));
}

void ConditionedRun::add(std::size_t group) {
  const Eigen::Index size = now_.inverse.rows() + 1;
  now_.inverse.conservativeResizeLike(Eigen::MatrixXd::Zero(size, size));
  now_.of_total.conservativeResizeLike(Eigen::VectorXd::Zero(size));
  coefficients_.conservativeResizeLike(Eigen::MatrixXd::Zero(coefficients_.rows(), size));
  points_.push_back(group);
  join(points_.size() - 1, group);
}

void ConditionedRun::replace(std::size_t point, std::size_t group) {
  const Eigen::Index row = row_of(point);
  update(-1 / now_.inverse(row, row), now_.inverse.col(row), now_.of_total[row], coefficients_.col(row));
  now_.clear(row);
  coefficients_.col(row).setZero();
  is_point_[points_[point]] = 0;
  points_[point] = group;
  join(point, group);
}

void ConditionedRun::lower_disturbance(std::size_t point, double less) {
  const Eigen::Index row = row_of(point);
  update(less / (1 - less * now_.inverse(row, row)), now_.inverse.col(row), now_.of_total[row], coefficients_.col(row));
}

/// h of a signature; 0 for one of the points.
Eigen::VectorXd ConditionedRun::with_points(std::size_t group, std::size_t but) const {
  Eigen::VectorXd h(now_.inverse.rows());
  h.head(shapes_) = model_->free().row(group).transpose();
  for (std::size_t p = 0; p < points_.size(); ++p) h[row_of(p)] = p == but ? 0 : model_->rest(points_[p], group);
  return h;
}

/// The point's row and column of M^-1 are 0 before.
void ConditionedRun::join(std::size_t point, std::size_t group) {
  const Eigen::VectorXd h = with_points(group, point);
  Eigen::VectorXd u = now_.inverse * h, u_signatures = coefficients_ * h;
  u[row_of(point)] = -1;
  for (std::size_t g = 0; g < model_->size(); ++g) u_signatures[g] -= model_->rest(group, g);
  update(1 / candidate_variance_[group], u, -covariance_[group], u_signatures);
  is_point_[group] = 1;
}

/// M^-1 + factor u u'. `u_total`: u' h_p; `u_signatures`: u' h_g.
void ConditionedRun::update(double factor, const Eigen::VectorXd& u, double u_total,
                            const Eigen::VectorXd& u_signatures) {
  now_.update(factor, u, u_total);
  covariance_ -= factor * u_total * u_signatures;
  candidate_variance_ -= factor * u_signatures.cwiseAbs2();
  coefficients_.noalias() += u_signatures * (factor * u).transpose();
}

void ConditionedRun::Solution::update(double factor, const Eigen::VectorXd& u, double u_total) {
  inverse.noalias() += u * (factor * u).transpose();
  of_total += factor * u_total * u;
  variance -= factor * u_total * u_total;
}

void ConditionedRun::Solution::clear(Eigen::Index row) {
  inverse.row(row).setZero();
  inverse.col(row).setZero();
  of_total[row] = 0;
}

}  // namespace seqpoint::select
