#include "core/select/point_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/algebra.hpp"

namespace seqpoint::select {
namespace {

/// A column is dependent on the previous ones if less than this share of its norm is orthogonal to them.
constexpr double kMinOwnShare = 1e-6;
/// The first columns that are linearly independent of the previous ones: at most `most`.
GroupIndices independent_columns(const Eigen::MatrixXd& all, std::size_t most) {
  GroupIndices chosen;
  Eigen::MatrixXd basis(all.rows(), 0);
  for (Eigen::Index c = 0; c < all.cols() && chosen.size() < most; ++c) {
    Eigen::VectorXd own = all.col(c);
    for (int pass = 0; pass < 2; ++pass) own -= basis * (basis.transpose() * own).eval();  // a single pass loses digits
    if (!(own.norm() > kMinOwnShare * all.col(c).norm())) continue;
    chosen.push_back(static_cast<std::size_t>(c));
    basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
    basis.rightCols(1) = own.normalized();
  }
  return chosen;
}

/// K: covariances of the points' misfits.
Eigen::MatrixXd misfit_among(const CostModel& model, const ModelShapes& points) {
  const Eigen::Index size = points.counts.size();
  Eigen::MatrixXd misfit(size, size);
  for (Eigen::Index p = 0; p < size; ++p)
    for (Eigen::Index q = 0; q <= p; ++q) misfit(p, q) = misfit(q, p) = model.misfit_covariance(points, p, points, q);
  return misfit;
}

}  // namespace

TargetCovariances target_covariances(const CostModel& model, const ModelShapes& run, const ModelShapes& points) {
  const Eigen::Index groups = run.counts.size(), seen_from = points.counts.size();
  const double iterations = run.counts.sum();
  const Eigen::VectorXd shares = run.counts / iterations;
  // Points have mass 0: they do not change the sum, and receive their covariance with it.
  ModelShapes both;
  both.shapes = run.shapes;
  both.shapes.insert(both.shapes.end(), points.shapes.begin(), points.shapes.end());
  both.relative_size.resize(groups + seen_from);
  both.relative_size << run.relative_size, points.relative_size;
  both.lengths.resize(groups + seen_from, run.lengths.cols());
  both.lengths << run.lengths, points.lengths;
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(groups + seen_from);
  mass.head(groups) = shares;
  const Eigen::VectorXd with_sum = model.misfit_covariance_with_sum(both, mass);
  return {.with_points = with_sum.tail(seen_from),
          .variance = shares.dot(with_sum.head(groups)),
          .free_totals = shares.transpose() * run.free_functions,
          .own_disturbance_variance =
              shares.dot(run.relative_size.cwiseAbs2()) / iterations * kModelConstants.disturbance_variance(1, 1)};
}

PointFit::PointFit(const CostModel& model, const ModelShapes& points, const Eigen::VectorXd& disturbance)
    : model_(model),
      points_(points),
      disturbance_(disturbance),
      estimated_columns_(
          independent_columns(points.free_functions.array().colwise() / disturbance.array().sqrt(),
                              static_cast<std::size_t>(std::max<Eigen::Index>(disturbance.size() - 1, 1)))),
      misfit_(misfit_among(model, points)),
      estimated_functions_(points.free_functions(Eigen::all, estimated_columns_)),
      scales_(std::make_shared<const PointScales>(kModelConstants, misfit_, disturbance, estimated_functions_)) {}

ErrorParts PointFit::error_parts(const Eigen::VectorXd& v, const TargetCovariances& target) const {
  const double misfit = v.dot(misfit_ * v) - 2 * v.dot(target.with_points) + target.variance;
  return {.misfit = std::max(misfit, 0.0),
          .measured = disturbance_.dot(v.cwiseAbs2()),
          .own = target.own_disturbance_variance,
          .missed = estimated_functions_.transpose() * v - target.free_totals(estimated_columns_).transpose()};
}

Eigen::VectorXd PointFit::usual_amounts() const {
  Eigen::VectorXd amounts = Eigen::VectorXd::Zero(points_.free_functions.cols());
  amounts.head(model_.amounts_of_size().size()) = model_.amounts_of_size();
  return amounts;
}

Eigen::VectorXd PointFit::solve_predictive(const Eigen::VectorXd& right, const Eigen::VectorXd& totals) const {
  const double variance = kModelConstants.amount * kModelConstants.amount;
  const FunctionValues& functions = points_.free_functions;
  if (!predictive_) {
    Eigen::MatrixXd covariance = misfit_ + variance * functions * functions.transpose();
    covariance.diagonal() += disturbance_;
    predictive_.emplace(covariance);
  }
  return predictive_->solve(Eigen::VectorXd(right + variance * (functions * totals)));
}

Prediction PointFit::predict(const TargetCovariances& target) const {
  const double variance = kModelConstants.amount * kModelConstants.amount;
  const Eigen::VectorXd totals = target.free_totals.transpose();
  Prediction found{.weights = solve_predictive(target.with_points, totals), .error = {}};
  const Eigen::VectorXd missed = totals - points_.free_functions.transpose() * found.weights;
  found.prior_share = missed.dot(usual_amounts());
  found.error = error_parts(found.weights, target);
  found.error.missed = {};
  found.error.amounts = variance * missed.squaredNorm();
  return found;
}

Eigen::VectorXd PointFit::curve(const Eigen::VectorXd& y, double mean, const ModelShapes& at) const {
  const double variance = kModelConstants.amount * kModelConstants.amount;
  const Eigen::VectorXd amounts = mean * usual_amounts();
  const Eigen::VectorXd off =
      solve_predictive(y - points_.free_functions * amounts, Eigen::VectorXd::Zero(amounts.size()));
  Eigen::VectorXd costs = at.free_functions * (amounts + variance * (points_.free_functions.transpose() * off));
  for (Eigen::Index p = 0; p < off.size(); ++p)
    for (Eigen::Index g = 0; g < costs.size(); ++g) costs[g] += model_.misfit_covariance(points_, p, at, g) * off[p];
  return costs;
}

}  // namespace seqpoint::select
