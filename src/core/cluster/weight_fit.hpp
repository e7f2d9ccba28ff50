/// \file
/// Weights of chosen signatures that make them reproduce what is known of the whole run.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <span>
#include <vector>

#include "cost_model.hpp"

namespace seqpoint {

/// How much each demand on the weights counts. An error of share e of the total costs e^2 in the objective.
struct WeightDemands {
  double ridge = 4e-4;        ///< x mean of (v / stratum's share - 1)^2: near the stratum's own count
  double noise = 0.015;       ///< of one measurement, as a share of the cost
  double rare = 0.01;         ///< the same, shared by the occurrences that a signature has
  double local = 0.03;        ///< standard deviation of the local process, as a share of the cost
  double shapes = 0;          ///< x the squared errors of the model's shapes, beside those of its features
  double constraint = 1e4;    ///< of each constraint while searching; the final weights hold them exactly
};

/// The quadratic program of METHOD 4, step 5, for one group a stratum: v >= 0 (shares of the run) that minimise
///   sum_j (f_j . v - 1)^2 + shapes sum_j (h_j . v - 1)^2 + local^2 Var(v) + sum_p (noise^2 + rare^2 / count_p + deviation_p^2) (size_p v_p)^2
///   + (ridge / k) sum_p (v_p / stratum_p - 1)^2,
/// where Var(v) is the variance of the error of integrating the local process with v (Bayesian quadrature), subject to
/// c_i . v = 1. Calibration: Deville and Sarndal 1992.
class WeightProblem {
 public:
  /// The model, its constraints (all of them, or those of few points) and the process have to outlive it. `deviation`, one a group or empty: how far a group's measured cost lies from its stratum's, as a share.
  WeightProblem(const CostModel&, const CostModel::Rows& constraints, const LocalProcess&, WeightDemands, Eigen::ArrayXd deviation);

  /// Starts over with these groups, one a stratum; `stratum` holds the strata's shares of the run.
  void set(std::span<const std::size_t> groups, const Eigen::VectorXd& stratum);
  /// The same with other groups of the same strata.
  void set(std::span<const std::size_t> groups);
  void replace(std::size_t p, std::size_t group);
  const std::vector<std::size_t>& groups() const { return groups_; }
  std::size_t group(std::size_t p) const { return groups_[p]; }
  std::size_t size() const { return groups_.size(); }

  /// The least objective, with the constraints as demands.
  double objective() const;
  /// What the objective cannot fall below if point p is replaced, at a fraction of the price: its least where weights may be
  /// negative, by the complement of Schur (less what rounding may add). For one p after the other: `leave_out(p)`, then ask.
  void leave_out(std::size_t p);
  double objective_without_signs(std::size_t group) const;
  /// The weights with as many constraints held exactly as can be, in their order of importance; 0 for a point that the
  /// others are better off without.
  Eigen::VectorXd weights() const;

 private:
  using Rows = CostModel::Rows;
  /// What is left of the problem without one point.
  struct Rest {
    std::size_t left_out = 0;
    Eigen::LLT<Eigen::MatrixXd> factor;
    Eigen::VectorXd solved;  ///< L^-1 r
    double least = 0;
  };
  void fill(std::size_t p);
  // Terms of the quadratic and the linear part, for groups g and h and the stratum of point p.
  double of_totals(Eigen::Index g, Eigen::Index h) const;
  double process(Eigen::Index g, Eigen::Index h) const;
  double penalty(Eigen::Index g, Eigen::Index h) const;
  double own(Eigen::Index p, Eigen::Index g) const;
  double linear(Eigen::Index p, Eigen::Index g) const;
  double linear_penalty(Eigen::Index g) const;
  double of_nothing() const;
  double value(const Eigen::VectorXd& v) const;
  Eigen::MatrixXd chosen(const Rows& rows) const;

  const LocalProcess& local_;
  WeightDemands demands_;
  const Rows &features_, &shapes_, &constraints_;
  Eigen::ArrayXd noise_;  ///< by group: what a squared share of it costs
  std::vector<std::size_t> groups_;
  Eigen::VectorXd stratum_;
  Eigen::MatrixXd process_;    ///< points x points: the local process alone
  Eigen::MatrixXd quadratic_;  ///< without the constraints
  Eigen::MatrixXd penalised_;  ///< the same, with them
  Eigen::VectorXd linear_, penalised_linear_;
  Rest rest_;
};

}  // namespace seqpoint
