#include "weight_fit.hpp"

#include <algorithm>
#include <limits>

#include "nonnegative_minimum.hpp"

namespace seqpoint {

WeightProblem::WeightProblem(const CostModel& model, const CostModel::Rows& constraints, const LocalProcess& local, WeightDemands demands,
                             Eigen::ArrayXd deviation)
    : local_(local), demands_(demands), features_(model.features), shapes_(model.shapes), constraints_(constraints) {
  noise_ = demands.noise * demands.noise + demands.rare * demands.rare / model.count;
  if (deviation.size() > 0) noise_ += deviation.square();
  noise_ *= model.size.square();
}

void WeightProblem::set(std::span<const std::size_t> groups, const Eigen::VectorXd& stratum) {
  stratum_ = stratum;
  const auto k = static_cast<Eigen::Index>(groups.size());
  process_.resize(k, k);
  quadratic_.resize(k, k);
  penalised_.resize(k, k);
  linear_.resize(k);
  penalised_linear_.resize(k);
  set(groups);
}

void WeightProblem::set(std::span<const std::size_t> groups) {
  groups_.assign(groups.begin(), groups.end());
  for (std::size_t p = 0; p < groups_.size(); ++p) fill(p);
}

void WeightProblem::replace(std::size_t p, std::size_t group) {
  groups_[p] = group;
  fill(p);
}

/// What the squared errors of features and shapes have in common of two groups.
double WeightProblem::of_totals(Eigen::Index g, Eigen::Index h) const {
  const double features = features_.row(g).dot(features_.row(h));
  return demands_.shapes > 0 ? features + demands_.shapes * shapes_.row(g).dot(shapes_.row(h)) : features;
}

double WeightProblem::process(Eigen::Index g, Eigen::Index h) const {
  return demands_.local * demands_.local * local_.covariance(static_cast<std::size_t>(g), static_cast<std::size_t>(h));
}

double WeightProblem::penalty(Eigen::Index g, Eigen::Index h) const {
  return demands_.constraint * constraints_.row(g).dot(constraints_.row(h));
}

double WeightProblem::own(Eigen::Index p, Eigen::Index g) const {
  return noise_[g] + demands_.ridge / static_cast<double>(size()) / (stratum_[p] * stratum_[p]);
}

double WeightProblem::linear(Eigen::Index p, Eigen::Index g) const {
  const double totals = features_.row(g).sum() + demands_.shapes * shapes_.row(g).sum();
  return totals + demands_.local * demands_.local * local_.with_mean(static_cast<std::size_t>(g)) +
         demands_.ridge / static_cast<double>(size()) / stratum_[p];
}

double WeightProblem::linear_penalty(Eigen::Index g) const { return demands_.constraint * constraints_.row(g).sum(); }

/// Row and column p.
void WeightProblem::fill(std::size_t p) {
  const auto i = static_cast<Eigen::Index>(p);
  const auto g = static_cast<Eigen::Index>(groups_[p]);
  for (std::size_t q = 0; q < groups_.size(); ++q) {
    const auto j = static_cast<Eigen::Index>(q), h = static_cast<Eigen::Index>(groups_[q]);
    process_(i, j) = process_(j, i) = process(g, h);
    quadratic_(i, j) = quadratic_(j, i) = of_totals(g, h) + process_(i, j);
    penalised_(i, j) = penalised_(j, i) = quadratic_(i, j) + penalty(g, h);
  }
  quadratic_(i, i) += own(i, g);
  penalised_(i, i) += own(i, g);
  linear_[i] = linear(i, g);
  penalised_linear_[i] = linear_[i] + linear_penalty(g);
}

/// The objective of no weights at all.
double WeightProblem::of_nothing() const {
  const auto columns = [](const Rows& rows) { return static_cast<double>(rows.cols()); };
  return columns(features_) + demands_.shapes * columns(shapes_) + demands_.constraint * columns(constraints_) +
         demands_.local * demands_.local * local_.of_mean() + demands_.ridge;
}

void WeightProblem::leave_out(std::size_t p) {
  constexpr double kRounding = 1e-12;
  std::vector<Eigen::Index> others;
  for (std::size_t q = 0; q < size(); ++q)
    if (q != p) others.push_back(static_cast<Eigen::Index>(q));
  rest_.left_out = p;
  rest_.factor.compute(penalised_(others, others));
  rest_.solved = rest_.factor.matrixL().solve(penalised_linear_(others));
  rest_.least = of_nothing() * (1 - kRounding) - rest_.solved.squaredNorm();
}

double WeightProblem::objective_without_signs(std::size_t group) const {
  const auto p = static_cast<Eigen::Index>(rest_.left_out), g = static_cast<Eigen::Index>(group);
  Eigen::VectorXd with_others(rest_.solved.size());
  for (std::size_t q = 0, j = 0; q < size(); ++q) {
    if (q == rest_.left_out) continue;
    const auto h = static_cast<Eigen::Index>(groups_[q]);
    with_others[static_cast<Eigen::Index>(j++)] = of_totals(g, h) + process(g, h) + penalty(g, h);
  }
  rest_.factor.matrixL().solveInPlace(with_others);
  const double alone = of_totals(g, g) + process(g, g) + penalty(g, g) + own(p, g) - with_others.squaredNorm();
  const double gain = linear(p, g) + linear_penalty(g) - with_others.dot(rest_.solved);
  return alone > 0 ? rest_.least - gain * gain / alone : -std::numeric_limits<double>::infinity();
}

Eigen::MatrixXd WeightProblem::chosen(const Rows& rows) const {
  Eigen::MatrixXd part(static_cast<Eigen::Index>(size()), rows.cols());
  for (std::size_t p = 0; p < size(); ++p)
    part.row(static_cast<Eigen::Index>(p)) = rows.row(static_cast<Eigen::Index>(groups_[p]));
  return part;
}

/// Term by term: differences of large sums would leave little of a small objective.
double WeightProblem::value(const Eigen::VectorXd& v) const {
  const auto missed = [&](const Rows& rows) {
    Eigen::VectorXd sum = Eigen::VectorXd::Constant(rows.cols(), -1.0);
    for (std::size_t p = 0; p < size(); ++p)
      sum += v[static_cast<Eigen::Index>(p)] * rows.row(static_cast<Eigen::Index>(groups_[p])).transpose();
    return sum.squaredNorm();
  };
  double sum = missed(features_) + demands_.shapes * missed(shapes_) + demands_.constraint * missed(constraints_);
  const double local = demands_.local * demands_.local;
  double spread = local * local_.of_mean() + v.dot(process_ * v);
  for (std::size_t p = 0; p < size(); ++p) {
    const auto i = static_cast<Eigen::Index>(p);
    const double ratio = v[i] / stratum_[i] - 1;
    sum += noise_[static_cast<Eigen::Index>(groups_[p])] * v[i] * v[i] + demands_.ridge / static_cast<double>(size()) * ratio * ratio;
    spread -= 2 * local * v[i] * local_.with_mean(groups_[p]);
  }
  return sum + std::max(spread, 0.0);
}

double WeightProblem::objective() const {
  return value(nonnegative_minimum(penalised_, penalised_linear_, Eigen::MatrixXd(0, penalised_.cols())));
}

Eigen::VectorXd WeightProblem::weights() const {
  const Eigen::MatrixXd constraints = chosen(constraints_).transpose();
  for (Eigen::Index exact = constraints.rows(); exact > 0; --exact) {
    const Eigen::MatrixXd rest = constraints.bottomRows(constraints.rows() - exact);
    const Eigen::MatrixXd q = quadratic_ + demands_.constraint * rest.transpose() * rest;
    const Eigen::VectorXd r = linear_ + demands_.constraint * rest.colwise().sum().transpose();
    const Eigen::VectorXd v = nonnegative_minimum(q, r, constraints.topRows(exact));
    if (v.size() > 0) return v;
  }
  return stratum_;
}

}  // namespace seqpoint
