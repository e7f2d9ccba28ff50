#include "core/select/conditioned_run.hpp"

#include <Eigen/LU>

#include <utility>

namespace seqpoint {
namespace {

/// to += factor * from.
void add_to(std::vector<double>& to, double factor, const std::vector<double>& from) {
  for (std::size_t g = 0; g < to.size(); ++g) to[g] += factor * from[g];
}

}  // namespace

ConditionedRun::ConditionedRun(const CostModel& model)
    : model_(&model),
      shapes_(static_cast<std::size_t>(model.free().cols())),
      is_point_(model.size(), 0),
      covariance_(model.size()),
      candidate_variance_(model.size()) {
  const double free = model.constants().free;
  const auto shapes = static_cast<Eigen::Index>(shapes_);
  inverse_ = -free * Eigen::MatrixXd::Identity(shapes, shapes);
  of_total_ = Eigen::VectorXd::Constant(shapes, -free);  // every shape's total is 1
  for (Eigen::Index j = 0; j < shapes; ++j) {
    Vector& row = coefficients_.emplace_back(model.size());
    for (std::size_t g = 0; g < row.size(); ++g) row[g] = -free * model.free()(static_cast<Eigen::Index>(g), j);
  }
  variance_ = model.rest_of_total() + free * static_cast<double>(shapes);
  for (std::size_t g = 0; g < model.size(); ++g) {
    const auto at = model.free().row(static_cast<Eigen::Index>(g));
    covariance_[g] = model.rest_with_total()[static_cast<Eigen::Index>(g)] + free * at.sum();
    candidate_variance_[g] = model.rest(g, g) + free * at.squaredNorm() + model.disturbance(g);
  }
}

std::vector<ConditionedRun::Replacement> ConditionedRun::replacements(std::size_t point, double limit) const {
  const Eigen::Index row = row_of(point);
  const Vector& coefficient = coefficients_[static_cast<std::size_t>(row)];
  const double precision = inverse_(row, row), weight = of_total_[row] / precision;
  const double without = variance_ + of_total_[row] * weight, least_gain = without - limit;
  std::vector<Replacement> found;
  for (std::size_t g = 0; g < is_point_.size(); ++g) {
    const double covariance = covariance_[g] + coefficient[g] * weight;
    const double variance = candidate_variance_[g] + coefficient[g] * coefficient[g] / precision;
    if (!(covariance > 0) || !(covariance * covariance > least_gain * variance) || has(g)) continue;
    found.push_back({without - gain_of(covariance, variance), g});
  }
  return found;
}

/// M is bordered anew, for its columns of the free shapes alone, and its block -I / free made 0 (Woodbury's identity).
std::optional<double> ConditionedRun::exact_variance(std::size_t point, const Replacement& replacement) const {
  if (points_.size() < shapes_) return std::nullopt;
  const std::size_t group = replacement.group;
  const Eigen::Index row = row_of(point), shapes = static_cast<Eigen::Index>(shapes_);
  const double precision = inverse_(row, row), coefficient = coefficients_[static_cast<std::size_t>(row)][group];
  Eigen::VectorXd with_group(inverse_.rows());
  with_group.head(shapes) = model_->free().row(static_cast<Eigen::Index>(group)).transpose();
  for (std::size_t p = 0; p < points_.size(); ++p) with_group[row_of(p)] = p == point ? 0 : model_->rest(points_[p], group);
  const double variance = candidate_variance_[group] + coefficient * coefficient / precision;
  const double weight = (covariance_[group] + coefficient * of_total_[row] / precision) / variance;
  const Eigen::VectorXd given_up = inverse_.col(row) / precision;
  Eigen::VectorXd old = inverse_ * with_group - given_up * (precision * given_up.dot(with_group));
  old[row] = -1;  // the new point's own row is -old / variance
  Eigen::MatrixXd of_shapes = inverse_.leftCols(shapes) - given_up * (precision * given_up.head(shapes).transpose());
  of_shapes.row(row).setZero();
  of_shapes += old * (old.head(shapes).transpose() / variance);
  Eigen::VectorXd weights = of_total_ - given_up * of_total_[row];
  weights[row] = 0;
  weights -= old * weight;
  Eigen::MatrixXd softness = of_shapes.topRows(shapes);
  softness.diagonal().array() += model_->constants().free;
  const Eigen::VectorXd missed = weights.head(shapes), moved = Eigen::PartialPivLU<Eigen::MatrixXd>(softness).solve(missed);
  weights -= of_shapes * moved;
  if (!(weights.tail(static_cast<Eigen::Index>(points_.size())).minCoeff() >= 0)) return std::nullopt;
  return replacement.variance + missed.dot(moved);
}

double ConditionedRun::gain_of_less_disturbance(std::size_t point, double less) const {
  const Eigen::Index row = row_of(point);
  return less * of_total_[row] * of_total_[row] / (1 - less * inverse_(row, row));
}

void ConditionedRun::add(std::size_t group) {
  const Eigen::Index size = inverse_.rows();
  inverse_.conservativeResize(size + 1, size + 1);
  inverse_.col(size).setZero();
  inverse_.row(size).setZero();
  of_total_.conservativeResize(size + 1);
  of_total_[size] = 0;
  coefficients_.emplace_back();
  points_.push_back(group);
  put(points_.size() - 1, group, Vector(covariance_.size(), 0.0), Eigen::VectorXd::Zero(size + 1));
}

void ConditionedRun::replace(std::size_t point, std::size_t group) {
  const Eigen::Index row = row_of(point);
  const Vector leaving = std::move(coefficients_[static_cast<std::size_t>(row)]);
  const double precision = inverse_(row, row), weight = of_total_[row] / precision;
  const Eigen::VectorXd given_up = inverse_.col(row) / precision;
  variance_ += of_total_[row] * weight;
  inverse_ -= given_up * given_up.transpose() * precision;
  inverse_.col(row).setZero();
  inverse_.row(row).setZero();
  of_total_ -= given_up * (weight * precision);
  of_total_[row] = 0;
  for (std::size_t g = 0; g < leaving.size(); ++g) {
    covariance_[g] += leaving[g] * weight;
    candidate_variance_[g] += leaving[g] * leaving[g] / precision;
  }
  is_point_[points_[point]] = 0;
  points_[point] = group;
  put(point, group, leaving, given_up);
}

/// Of the coefficients, those of `leaving` times `given_up` are still to be taken away.
void ConditionedRun::put(std::size_t point, std::size_t group, const Vector& leaving, const Eigen::VectorXd& given_up) {
  const Eigen::Index row = row_of(point);
  const double variance = candidate_variance_[group], covariance = covariance_[group];
  model_->rest_column(group, column_);
  Eigen::VectorXd with_group(inverse_.rows());  // h of the new point
  for (std::size_t j = 0; j < shapes_; ++j) with_group[static_cast<Eigen::Index>(j)] = model_->free()(static_cast<Eigen::Index>(group), static_cast<Eigen::Index>(j));
  for (std::size_t p = 0; p < points_.size(); ++p) with_group[row_of(p)] = column_[static_cast<Eigen::Index>(points_[p])];
  with_group[row] = 0;
  // The covariance of each signature with the new point, given the others; then over its variance: the new row.
  Vector fresh(column_.data(), column_.data() + column_.size());
  add_to(fresh, with_group.dot(given_up), leaving);
  for (std::size_t j = 0; j < coefficients_.size(); ++j)
    if (static_cast<Eigen::Index>(j) != row) add_to(fresh, -with_group[static_cast<Eigen::Index>(j)], coefficients_[j]);
  for (std::size_t g = 0; g < fresh.size(); ++g) {
    covariance_[g] -= fresh[g] * covariance / variance;
    candidate_variance_[g] -= fresh[g] * fresh[g] / variance;
    fresh[g] /= variance;
  }
  const Eigen::VectorXd old = inverse_ * with_group;
  for (std::size_t j = 0; j < coefficients_.size(); ++j) {
    const double give_up = given_up[static_cast<Eigen::Index>(j)], less = old[static_cast<Eigen::Index>(j)];
    Vector& coefficient = coefficients_[j];
    if (static_cast<Eigen::Index>(j) == row) continue;
    for (std::size_t g = 0; g < coefficient.size(); ++g) coefficient[g] -= give_up * leaving[g] + less * fresh[g];
  }
  coefficients_[static_cast<std::size_t>(row)] = std::move(fresh);
  inverse_ += old * old.transpose() / variance;
  inverse_.col(row) = inverse_.row(row).transpose() = -old / variance;
  inverse_(row, row) = 1 / variance;
  of_total_ -= old * (covariance / variance);
  of_total_[row] = covariance / variance;
  variance_ -= covariance * covariance / variance;
  is_point_[group] = 1;
}

void ConditionedRun::lower_disturbance(std::size_t point, double less) {
  const Eigen::Index row = row_of(point);
  const Vector of_point = coefficients_[static_cast<std::size_t>(row)];
  const Eigen::VectorXd column = inverse_.col(row);
  const double weight = of_total_[row], factor = less / (1 - less * inverse_(row, row));
  variance_ -= factor * weight * weight;
  for (std::size_t g = 0; g < of_point.size(); ++g) {
    covariance_[g] -= factor * weight * of_point[g];
    candidate_variance_[g] -= factor * of_point[g] * of_point[g];
  }
  of_total_ += factor * weight * column;
  inverse_ += factor * column * column.transpose();
  for (std::size_t j = 0; j < coefficients_.size(); ++j) add_to(coefficients_[j], factor * column[static_cast<Eigen::Index>(j)], of_point);
}

}  // namespace seqpoint
