/// \file
/// The variance of a run's total given measurements of some shapes.
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/select/cost_model.hpp"

namespace seqpoint::select {

/// The model conditioned on measurements at each of some points, updated in O(G k) when a point is added, replaced or
/// measured again.
///
/// With h_c = [F_c; R_Sc] and M = [-I / free, F_S'; F_S, R_SS + D_S], a candidate's covariance with the total,
/// given the points, is (R p)_c - h_c' M^-1 h_p, and so on. The diffuse functions are kept separate, so that their
/// large variance costs no digits. Every change of a point adds factor x u u' to M^-1.
class ConditionedRun {
 public:
  /// Starts without points; each added point is measured this often. The model has to outlive the object and its
  /// copies.
  explicit ConditionedRun(const CostModel& model, std::uint64_t measurements = 1);

  const GroupIndices& points() const { return points_; }
  /// V of the best weights, if weights may be negative.
  double variance() const { return variance_; }
  /// Whether the shape is a point.
  bool has(std::size_t group) const { return is_point_[group] != 0; }

  /// Decrease of `variance` by measuring a shape that is not a point; 0 if its weight would not be above 0.
  double variance_reduction(std::size_t group) const {
    const double above = std::max(covariance_[group], 0.0);
    return above * above / candidate_variance_[group];
  }
  /// The shape, not yet a point, that lowers `variance` most with a weight above 0; ties to the first. Nothing: none
  /// does.
  std::optional<std::size_t> best_addition() const;
  /// A shape, and `variance` after it replaces some point.
  struct Replacement {
    double variance = 0;
    std::size_t group = 0;
    friend auto operator<=>(const Replacement&, const Replacement&) = default;
  };
  /// The best shapes to replace `point`, at most `most`, by ascending variance, ties to the shape that comes first.
  /// Only shapes that are not points, with a weight above 0 and a variance below `limit`.
  std::vector<Replacement> replacements(std::size_t point, std::size_t most, double limit) const;

  /// As variance_reduction(), whatever the sign of the weight.
  double variance_reduction_of_any_weight(std::size_t group) const {
    return covariance_[group] * covariance_[group] / candidate_variance_[group];
  }
  /// Decrease of `variance` if the noise variance of a point were lower by `less`.
  double variance_reduction_of_repeat(std::size_t point, double less) const {
    const double weight = weights_[row_of(point)];
    return factor_of_repeat(point, less) * (weight * weight);
  }

  /// Adds a shape that is not a point.
  void add(std::size_t group);
  /// Reduces the noise variance of a point by `less`: it is measured once more.
  void repeat(std::size_t point, double less);
  /// Puts a shape that is not a point in the place of a point; it is measured as often as a point that was added.
  void replace(std::size_t point, std::size_t group);

 private:
  /// The row of a point, by position, in M^-1.
  Eigen::Index row_of(std::size_t point) const { return free_functions_ + static_cast<Eigen::Index>(point); }
  /// The factor of u u', the point's column of M^-1, if its diagonal in M falls by `less` (Sherman and Morrison 1950).
  double factor_of_repeat(std::size_t point, double less) const {
    return less / (1 - less * inverse_(row_of(point), row_of(point)));
  }
  void update(double factor, const Eigen::VectorXd& u, double u_total, const Eigen::VectorXd& u_rows);
  void condition_on(std::size_t point, std::size_t group);

  const CostModel* model_;       // a pointer, so that objects can be copied
  Eigen::Index free_functions_;  ///< number of diffuse functions
  GroupIndices points_;
  std::vector<char> is_point_;
  double variance_;
  Eigen::MatrixXd inverse_;             ///< M^-1: diffuse functions first, then the points in their order
  Eigen::VectorXd weights_;             ///< M^-1 h_p: diffuse functions, then weights of the points
  Eigen::MatrixXd coefficients_;        ///< M^-1 h_g: a row per shape, columns as `inverse_` has them
  Eigen::VectorXd covariance_;          ///< covariance of each shape's cost with the total, given the points
  Eigen::VectorXd candidate_variance_;  ///< variance of measuring each shape, given the points
};

}  // namespace seqpoint::select
