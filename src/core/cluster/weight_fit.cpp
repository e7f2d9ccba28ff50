#include "weight_fit.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>

namespace seqpoint {
namespace {

/// Points in or out of the active set.
using Passive = std::vector<Eigen::Index>;

Eigen::VectorXd spread(const Eigen::VectorXd& part, const Passive& passive, Eigen::Index size) {
  Eigen::VectorXd whole = Eigen::VectorXd::Zero(size);
  for (std::size_t i = 0; i < passive.size(); ++i) whole[passive[i]] = part[static_cast<Eigen::Index>(i)];
  return whole;
}

/// A minimum over the passive points, and the multipliers of its constraints. Empty where the constraints contradict.
struct Solution {
  Eigen::VectorXd v, multipliers;
};

Solution solve_unconstrained(const Eigen::MatrixXd& q, const Eigen::VectorXd& r) {
  return {q.llt().solve(r), Eigen::VectorXd()};
}

Solution solve_constrained(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a) {
  const Eigen::Index k = q.rows(), m = a.rows();
  if (k < m) return {};
  Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(k + m, k + m);
  kkt.topLeftCorner(k, k) = q;
  kkt.topRightCorner(k, m) = a.transpose();
  kkt.bottomLeftCorner(m, k) = a;
  Eigen::VectorXd right(k + m);
  right << r, Eigen::VectorXd::Ones(m);
  const Eigen::VectorXd solved = kkt.fullPivLu().solve(right);
  if (!solved.allFinite() || (a * solved.head(k) - Eigen::VectorXd::Ones(m)).cwiseAbs().maxCoeff() > 1e-9) return {};
  return {solved.head(k), solved.tail(m)};
}

Solution solve(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a, const Passive& passive) {
  if (a.rows() == 0 && static_cast<Eigen::Index>(passive.size()) == q.rows()) return solve_unconstrained(q, r);
  const Eigen::MatrixXd part = q(passive, passive);
  if (a.rows() == 0) return solve_unconstrained(part, r(passive));
  return solve_constrained(part, r(passive), a(Eigen::all, passive));
}

/// The point left out whose return would lower the objective most; -1 where none would.
Eigen::Index worth_returning(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a,
                             const Eigen::VectorXd& v, const Eigen::VectorXd& multipliers) {
  Eigen::VectorXd slope = r - q * v;
  if (a.rows() > 0) slope -= a.transpose() * multipliers;
  Eigen::Index best = -1;
  double most = 1e-9 * r.cwiseAbs().maxCoeff();
  for (Eigen::Index p = 0; p < v.size(); ++p) {
    if (v[p] > 0 || !(slope[p] > most)) continue;
    most = slope[p];
    best = p;
  }
  return best;
}

bool drop_negative(Passive& passive, const Eigen::VectorXd& v) {
  Passive kept;
  for (std::size_t i = 0; i < passive.size(); ++i)
    if (v[static_cast<Eigen::Index>(i)] > 0) kept.push_back(passive[i]);
  const bool dropped = kept.size() < passive.size();
  passive = std::move(kept);
  return dropped;
}

}  // namespace

Eigen::VectorXd nonnegative_minimum(const Eigen::MatrixXd& q, const Eigen::VectorXd& r, const Eigen::MatrixXd& a) {
  Passive passive;
  for (Eigen::Index p = 0; p < q.rows(); ++p) passive.push_back(p);
  // Every return lowers the objective unless rounding has the last word: a few of them are enough, and any v >= 0 will do.
  Eigen::Index returns = 0;
  Eigen::VectorXd feasible;
  while (!passive.empty()) {
    const Solution solution = solve(q, r, a, passive);
    if (solution.v.size() == 0) break;
    if (drop_negative(passive, solution.v)) continue;
    feasible = spread(solution.v, passive, q.rows());
    if (static_cast<Eigen::Index>(passive.size()) == q.rows() || ++returns > q.rows()) break;
    const Eigen::Index back = worth_returning(q, r, a, feasible, solution.multipliers);
    if (back < 0) break;
    passive.insert(std::lower_bound(passive.begin(), passive.end(), back), back);
  }
  return feasible;
}

WeightProblem::WeightProblem(const CostModel& model, const LocalProcess& local, WeightDemands demands, Eigen::ArrayXd deviation)
    : local_(local), demands_(demands), features_(model.features), constraints_(model.constraints) {
  noise_ = demands.noise * demands.noise + demands.rare * demands.rare / model.count;
  if (deviation.size() > 0) noise_ += deviation.square();
  noise_ *= model.size.square();
}

void WeightProblem::set(std::span<const std::size_t> groups, const Eigen::VectorXd& stratum) {
  groups_.assign(groups.begin(), groups.end());
  stratum_ = stratum;
  const auto k = static_cast<Eigen::Index>(groups.size());
  quadratic_.resize(k, k);
  penalised_.resize(k, k);
  linear_.resize(k);
  penalised_linear_.resize(k);
  for (std::size_t p = 0; p < groups_.size(); ++p) fill(p);
}

void WeightProblem::replace(std::size_t p, std::size_t group) {
  groups_[p] = group;
  fill(p);
}

double WeightProblem::quadratic(std::size_t a, std::size_t b) const {
  const auto i = static_cast<Eigen::Index>(a), j = static_cast<Eigen::Index>(b);
  return features_.row(i).dot(features_.row(j)) + demands_.local * demands_.local * local_.covariance(a, b);
}

/// Row and column p.
void WeightProblem::fill(std::size_t p) {
  const auto i = static_cast<Eigen::Index>(p);
  const auto g = static_cast<Eigen::Index>(groups_[p]);
  for (std::size_t q = 0; q < groups_.size(); ++q) {
    const auto j = static_cast<Eigen::Index>(q);
    quadratic_(i, j) = quadratic_(j, i) = quadratic(groups_[p], groups_[q]);
    penalised_(i, j) = penalised_(j, i) =
        quadratic_(i, j) + demands_.constraint * constraints_.row(g).dot(constraints_.row(static_cast<Eigen::Index>(groups_[q])));
  }
  const double ridge = demands_.ridge / static_cast<double>(groups_.size());
  const double own = noise_[g] + ridge / (stratum_[i] * stratum_[i]);
  quadratic_(i, i) += own;
  penalised_(i, i) += own;
  linear_[i] = features_.row(g).sum() + demands_.local * demands_.local * local_.with_mean(groups_[p]) + ridge / stratum_[i];
  penalised_linear_[i] = linear_[i] + demands_.constraint * constraints_.row(g).sum();
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
  double sum = missed(features_) + demands_.constraint * missed(constraints_);
  double process = local_.of_mean();
  for (std::size_t p = 0; p < size(); ++p) {
    const auto i = static_cast<Eigen::Index>(p);
    const double ratio = v[i] / stratum_[i] - 1;
    sum += noise_[static_cast<Eigen::Index>(groups_[p])] * v[i] * v[i] + demands_.ridge / static_cast<double>(size()) * ratio * ratio;
    process -= 2 * v[i] * local_.with_mean(groups_[p]);
    for (std::size_t q = 0; q < size(); ++q)
      process += v[i] * v[static_cast<Eigen::Index>(q)] * local_.covariance(groups_[p], groups_[q]);
  }
  return sum + demands_.local * demands_.local * std::max(process, 0.0);
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
