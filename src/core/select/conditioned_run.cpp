#include "core/select/conditioned_run.hpp"

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

double ConditionedRun::gain_of_less_disturbance(std::size_t point, double less) const {
  const Eigen::Index row = row_of(point);
  return less * of_total_[row] * of_total_[row] / (1 - less * inverse_(row, row));
}

void ConditionedRun::add(std::size_t group) {
  const double variance = candidate_variance_[group], covariance = covariance_[group];
  model_->rest_column(group, column_);
  Eigen::VectorXd with_group(inverse_.rows());  // h of the new point
  for (std::size_t j = 0; j < shapes_; ++j) with_group[static_cast<Eigen::Index>(j)] = model_->free()(static_cast<Eigen::Index>(group), static_cast<Eigen::Index>(j));
  for (std::size_t p = 0; p < points_.size(); ++p) with_group[row_of(p)] = column_[static_cast<Eigen::Index>(points_[p])];
  // The covariance of each signature with the new point, given the others; then over its variance: the new row.
  Vector fresh(column_.data(), column_.data() + column_.size());
  for (std::size_t j = 0; j < coefficients_.size(); ++j) add_to(fresh, -with_group[static_cast<Eigen::Index>(j)], coefficients_[j]);
  for (std::size_t g = 0; g < fresh.size(); ++g) {
    covariance_[g] -= fresh[g] * covariance / variance;
    candidate_variance_[g] -= fresh[g] * fresh[g] / variance;
    fresh[g] /= variance;
  }
  const Eigen::VectorXd old = inverse_ * with_group;
  for (std::size_t j = 0; j < coefficients_.size(); ++j) add_to(coefficients_[j], -old[static_cast<Eigen::Index>(j)], fresh);
  coefficients_.push_back(std::move(fresh));

  const Eigen::Index size = inverse_.rows();
  inverse_.conservativeResize(size + 1, size + 1);
  inverse_.topLeftCorner(size, size) += old * old.transpose() / variance;
  inverse_.col(size).head(size) = inverse_.row(size).head(size).transpose() = -old / variance;
  inverse_(size, size) = 1 / variance;
  of_total_.conservativeResize(size + 1);
  of_total_.head(size) -= old * (covariance / variance);
  of_total_[size] = covariance / variance;
  variance_ -= covariance * covariance / variance;
  points_.push_back(group);
  is_point_[group] = 1;
}

void ConditionedRun::remove(std::size_t point) {
  const Eigen::Index row = row_of(point);
  const Vector leaving = std::move(coefficients_[static_cast<std::size_t>(row)]);
  coefficients_.erase(coefficients_.begin() + row);
  const double precision = inverse_(row, row), weight = of_total_[row];
  for (std::size_t g = 0; g < leaving.size(); ++g) {
    covariance_[g] += leaving[g] * weight / precision;
    candidate_variance_[g] += leaving[g] * leaving[g] / precision;
  }
  variance_ += weight * weight / precision;

  std::vector<Eigen::Index> staying;
  for (Eigen::Index i = 0; i < inverse_.rows(); ++i)
    if (i != row) staying.push_back(i);
  const Eigen::VectorXd with_leaving = inverse_.col(row)(staying);
  const Eigen::MatrixXd others = inverse_(staying, staying);
  inverse_ = others - with_leaving * with_leaving.transpose() / precision;
  const Eigen::VectorXd totals = of_total_(staying);
  of_total_ = totals - with_leaving * (weight / precision);
  for (std::size_t j = 0; j < coefficients_.size(); ++j) add_to(coefficients_[j], -with_leaving[static_cast<Eigen::Index>(j)] / precision, leaving);
  is_point_[points_[point]] = 0;
  points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(point));
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
