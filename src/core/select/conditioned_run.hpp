/// \file
/// What is left to know of a run's total once some signatures are measured.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <optional>
#include <vector>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

/// The model given measurements at some points, kept up to date in O(G k) as points join and are replaced.
///
/// With h_c = [F_c; R_Sc] and M = [-I / free, F_S'; F_S, R_SS + D_S], a candidate's covariance with the total, given
/// the points, is (R p)_c - h_c' M^-1 h_p, and so on: the free shapes stay apart, so that their large variance costs no
/// digits. Whatever happens to a point adds factor x u u' to M^-1.
class ConditionedRun {
 public:
  /// Without any point. The model has to outlive it.
  explicit ConditionedRun(const CostModel& model);

  const GroupIndices& points() const { return points_; }
  /// V of the best weights, of which some may be negative.
  double variance() const { return solution_.variance; }
  bool has(std::size_t group) const { return is_point_[group] != 0; }

  /// By how much a measurement at the signature would lower `variance`; 0 where its weight would not be above 0.
  double variance_reduction(std::size_t group) const {
    return covariance_[group] > 0 ? covariance_[group] * covariance_[group] / candidate_variance_[group] : 0;
  }
  /// A signature, and what `variance` would be with it in the place of some point.
  struct Replacement {
    double variance = 0;
    std::size_t group = 0;
    friend auto operator<=>(const Replacement&, const Replacement&) = default;
  };
  /// Those of a weight above 0 in the place of `point` with the least variance, below `limit`: at most `most`.
  std::vector<Replacement> replacements(std::size_t point, std::size_t most, double limit) const;
  /// V with the signature in the place of the point and the free shapes' totals exact; nothing where a weight would
  /// then be below 0, or where the points are fewer than the shapes.
  std::optional<double> exact_variance(std::size_t point, std::size_t group) const;
  /// By how much a variance of D at a point that falls by so much lowers `variance`.
  double variance_reduction_of_lower_disturbance(std::size_t point, double less) const;

  void add(std::size_t group);
  /// Puts a signature in the place of a point.
  void replace(std::size_t point, std::size_t group);
  void lower_disturbance(std::size_t point, double less);

 private:
  /// What the points by themselves decide.
  struct Solution {
    Eigen::MatrixXd inverse;  ///< M^-1: free shapes first, then the points in their order
    Eigen::VectorXd weights;  ///< M^-1 h_p
    double variance = 0;

    void update(double factor, const Eigen::VectorXd& u, double u_total);
    void clear(Eigen::Index row);
  };
  Eigen::Index row_of(std::size_t point) const { return free_functions_ + static_cast<Eigen::Index>(point); }
  Eigen::VectorXd h_of(std::size_t group, std::size_t but) const;
  void update(double factor, const Eigen::VectorXd& u, double u_total, const Eigen::VectorXd& u_signatures);
  void condition_on(std::size_t point, std::size_t group);

  const CostModel* model_;       // a pointer, so that states can be kept and come back to
  Eigen::Index free_functions_;  ///< free ones
  GroupIndices points_;
  std::vector<char> is_point_;
  Solution solution_;
  Eigen::MatrixXd coefficients_;        ///< M^-1 h_g: a row a signature, columns as `inverse` has them
  Eigen::VectorXd covariance_;          ///< of each signature's cost with the total
  Eigen::VectorXd candidate_variance_;  ///< of one measurement of each signature, its disturbance included
};

}  // namespace seqpoint::select
