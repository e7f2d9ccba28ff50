#include "core/select/point_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/linear_algebra.hpp"

namespace seqpoint::select {
namespace {

/// A column is dependent on those before it where less than this share of its norm is orthogonal to them.
constexpr double kLeastOwnShare = 1e-6;
/// Relative error up to which a total counts as met.
constexpr double kTotalsTolerance = 1e-6;

/// The first columns that are linearly independent of those before them: at most `most`.
GroupIndices independent_columns(const Eigen::MatrixXd& all, std::size_t most) {
  GroupIndices chosen;
  Eigen::MatrixXd basis(all.rows(), 0);
  for (Eigen::Index c = 0; c < all.cols() && chosen.size() < most; ++c) {
    Eigen::VectorXd own = all.col(c);
    for (int pass = 0; pass < 2; ++pass) own -= basis * (basis.transpose() * own).eval();  // a single pass loses digits
    if (!(own.norm() > kLeastOwnShare * all.col(c).norm())) continue;
    chosen.push_back(static_cast<std::size_t>(c));
    basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
    basis.rightCols(1) = own.normalized();
  }
  return chosen;
}

}  // namespace

TargetCovariances target_covariances(const CostModel& model, const ModelSignatures& run,
                                     const ModelSignatures& points) {
  const Eigen::Index groups = run.counts.size(), seen_from = points.counts.size();
  const double iterations = run.counts.sum();
  const Eigen::VectorXd shares = run.counts / iterations;
  // Points have mass 0: they add nothing to the sum, and get their covariance with it.
  ModelSignatures both;
  both.relative_size.resize(groups + seen_from);
  both.relative_size << run.relative_size, points.relative_size;
  both.lengths.resize(groups + seen_from, run.lengths.cols());
  both.lengths << run.lengths, points.lengths;
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(groups + seen_from);
  mass.head(groups) = shares;
  const Eigen::VectorXd with_sum = model.jagged_covariance_with_sum(both, mass);
  return {.with_points = with_sum.tail(seen_from),
          .variance = shares.dot(with_sum.head(groups)),
          .free_totals = shares.transpose() * run.free_functions,
          .own_disturbance_variance =
              shares.dot(run.relative_size.cwiseAbs2()) / iterations * model.constants().disturbance_variance(1, 1)};
}

PointFit::PointFit(const CostModel& model, const ModelSignatures& points, const Eigen::VectorXd& disturbance)
    : model_(model), points_(points), disturbance_(disturbance), jagged_(disturbance.size(), disturbance.size()) {
  const auto size = static_cast<std::size_t>(disturbance.size());
  for (std::size_t p = 0; p < size; ++p)
    for (std::size_t q = 0; q <= p; ++q) jagged_(p, q) = jagged_(q, p) = model.jagged_covariance(points, p, points, q);
  const Eigen::MatrixXd relative = points.free_functions.array().colwise() / disturbance.array().sqrt();
  estimated_columns_ = independent_columns(relative, std::max<std::size_t>(size - 1, 1));
  estimated_functions_ = points.free_functions(Eigen::all, estimated_columns_);
  Eigen::MatrixXd covariance = jagged_;
  covariance.diagonal() += disturbance;
  inverse_ = CholeskyFactor(covariance).solve(Eigen::MatrixXd(Eigen::MatrixXd::Identity(size, size)));
  const Eigen::MatrixXd precision = estimated_functions_.transpose() * inverse_ * estimated_functions_;
  coefficient_covariance_ = inverse_of_semidefinite(precision);
}

VarianceParts PointFit::variance(const Eigen::VectorXd& v, const TargetCovariances& target) const {
  const Eigen::VectorXd missed =
      estimated_functions_.transpose() * v - target.free_totals(estimated_columns_).transpose();
  const double jagged = v.dot(jagged_ * v) - 2 * v.dot(target.with_points) + target.variance;
  return {.between = std::max(jagged, 0.0),
          .measured = disturbance_.dot(v.cwiseAbs2()),
          .missed = missed.dot(coefficient_covariance_ * missed),
          .own = target.own_disturbance_variance};
}

Eigen::VectorXd PointFit::predictor(const TargetCovariances& target) const {
  const Eigen::VectorXd near = inverse_ * target.with_points;
  const Eigen::VectorXd missing =
      target.free_totals(estimated_columns_).transpose() - estimated_functions_.transpose() * near;
  return near + inverse_ * (estimated_functions_ * (coefficient_covariance_ * missing));
}

Eigen::VectorXd PointFit::regularised_predictor(const TargetCovariances& target) const {
  const double free = model_.constants().free;
  Eigen::MatrixXd covariance = jagged_ + free * points_.free_functions * points_.free_functions.transpose();
  covariance.diagonal() += disturbance_;
  return CholeskyFactor(covariance)
      .solve(Eigen::VectorXd(target.with_points + free * points_.free_functions * target.free_totals.transpose()));
}

bool PointFit::meets_free_totals(const Eigen::VectorXd& v, const TargetCovariances& target) const {
  const Eigen::RowVectorXd met = v.transpose() * points_.free_functions;
  return ((met - target.free_totals).array().abs() <= kTotalsTolerance * (1 + target.free_totals.array().abs())).all();
}

Eigen::VectorXd PointFit::coefficients(const Eigen::VectorXd& y) const {
  return coefficient_covariance_ * (estimated_functions_.transpose() * (inverse_ * y));
}

Eigen::VectorXd PointFit::curve(const Eigen::VectorXd& y, const ModelSignatures& at) const {
  const Eigen::VectorXd functions = coefficients(y), near = inverse_ * (y - estimated_functions_ * functions);
  Eigen::VectorXd costs = at.free_functions(Eigen::all, estimated_columns_) * functions;
  for (Eigen::Index p = 0; p < near.size(); ++p)
    for (Eigen::Index g = 0; g < costs.size(); ++g) costs[g] += model_.jagged_covariance(points_, p, at, g) * near[p];
  return costs;
}

double PointFit::residual_squares(const Eigen::VectorXd& e) const {
  const Eigen::VectorXd left = e - estimated_functions_ * coefficients(e);
  return std::max(e.dot(inverse_ * left), 0.0);
}

ScalePosterior::ScalePosterior(const ModelConstants& constants, double degrees, double squares) {
  // The density of the scale on a grid of x, ln s = ln median + spread x. Steps of at most half a standard deviation
  // keep all digits.
  constexpr double kFarthest = 8, kUsualStep = 0.1;
  const double step = std::min(kUsualStep, 0.5 / (constants.scale_spread * std::sqrt(2 * std::max(degrees, 1.0))));
  const double half = std::ceil(kFarthest / step);
  const Eigen::ArrayXd x = step * Eigen::ArrayXd::LinSpaced(static_cast<Eigen::Index>(2 * half + 1), -half, half);
  ln_s_ = std::log(constants.scale_median) + constants.scale_spread * x;
  const Eigen::ArrayXd logs = -0.5 * x.square() - degrees * ln_s_ - 0.5 * squares * (-2 * ln_s_).exp();
  weight_ = (logs - logs.maxCoeff()).exp();
  weight_ /= weight_.sum();
}

double ScalePosterior::half_width(double confidence) const {
  const Eigen::ArrayXd per_scale = (-ln_s_).min(700.0).exp();  // finite where the weight is 0, too
  // P(|X| <= h) rises and is concave in h: Newton's steps from 0 come from below and do not overshoot.
  constexpr int kMostSteps = 100;
  double h = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    const double slope = (weight_ * per_scale * (-0.5 * (h * per_scale).square()).exp()).sum();
    const double more = (probability_beyond(h) - (1 - confidence)) / (slope * std::sqrt(2 / std::numbers::pi));
    h += more;
    if (!(more > 1e-13 * h)) break;
  }
  return h;
}

double ScalePosterior::probability_beyond(double distance) const {
  const Eigen::ArrayXd z = distance * (-ln_s_).min(700.0).exp() / std::numbers::sqrt2;
  return (weight_ * z.unaryExpr([](double a) { return std::erfc(a); })).sum();
}

double ScalePosterior::median() const {
  Eigen::Index middle = 0;
  for (double below = weight_[0]; below < 0.5; below += weight_[middle]) ++middle;
  return std::exp(ln_s_[middle]);
}

}  // namespace seqpoint::select
