/// \file
/// What is left to know of a run's total once some signatures are measured.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <optional>
#include <vector>

#include "core/select/cost_model.hpp"

namespace seqpoint {

/// The model given measurements at some points, kept up to date in O(G k) as points join and are replaced.
///
/// With h_c = [R_Sc; F_c] and M = [R_SS + D_S, F_S; F_S', -I / free], a candidate's covariance with the total, given the
/// points, is (R p)_c - h_c' M^-1 h_p, and so on: the free shapes stay apart, so that their large variance costs no digits.
/// Kept are M^-1, M^-1 h of every signature and of the total, and the conditional covariances and variances.
class ConditionedRun {
 public:
  /// Without any point. The model has to outlive it.
  explicit ConditionedRun(const CostModel& model);

  const std::vector<std::size_t>& points() const { return points_; }
  /// The least expected squared error of the total that unrestricted weights have, as a share of the total squared.
  double variance() const { return variance_; }
  bool has(std::size_t group) const { return is_point_[group] != 0; }

  /// By how much a measurement at the signature would lower `variance`; 0 where its weight would not be above 0.
  double gain(std::size_t group) const { return gain_of(covariance_[group], candidate_variance_[group]); }
  /// A signature, and what `variance` would be with it in the place of some point.
  struct Replacement {
    double variance = 0;
    std::size_t group = 0;
    friend auto operator<=>(const Replacement&, const Replacement&) = default;
  };
  /// Every signature that is no point and has a weight above 0 in the place of `point`, where `variance` would be below `limit`;
  /// ascending by group.
  std::vector<Replacement> replacements(std::size_t point, double limit) const;
  /// V of the replacement with the free shapes' totals exact; nothing where a weight would then be below 0, or where the points are
  /// fewer than the shapes.
  std::optional<double> exact_variance(std::size_t point, const Replacement& replacement) const;
  /// By how much a variance of D at a point that falls by so much lowers `variance`.
  double gain_of_less_disturbance(std::size_t point, double less) const;

  void add(std::size_t group);
  /// Puts a signature in the place of a point.
  void replace(std::size_t point, std::size_t group);
  void lower_disturbance(std::size_t point, double less);

 private:
  using Vector = std::vector<double>;
  static double gain_of(double covariance, double variance) { return covariance > 0 && variance > 0 ? covariance * covariance / variance : 0; }
  void put(std::size_t point, std::size_t group, const Vector& leaving, const Eigen::VectorXd& given_up);
  Eigen::Index row_of(std::size_t point) const { return static_cast<Eigen::Index>(shapes_ + point); }

  const CostModel* model_;  // a pointer, so that states can be kept and come back to
  std::size_t shapes_;                ///< free ones
  std::vector<std::size_t> points_;
  std::vector<char> is_point_;
  Eigen::MatrixXd inverse_;           ///< M^-1: free shapes first, then the points in their order
  std::vector<Vector> coefficients_;  ///< M^-1 h_g: a row as inverse_ has, a column a signature
  Eigen::VectorXd of_total_;          ///< M^-1 h_p
  Vector covariance_;                 ///< of each signature's cost with the total
  Vector candidate_variance_;         ///< of one measurement of each signature, its disturbance included
  double variance_;
  Eigen::VectorXd column_;            ///< scratch
};

}  // namespace seqpoint
