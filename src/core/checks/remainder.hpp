/// \file
/// Residuals of values after patterns are fitted.
#pragma once

#include <Eigen/Core>

#include <optional>
#include <utility>

namespace seqpoint::checks {

/// Values with independent noise of one variance s^2, and patterns that are removed one by one, by least squares. All
/// vectors have one length.
class Remainder {
 public:
  /// Begins with all of `values` as residuals and no pattern removed.
  explicit Remainder(Eigen::VectorXd values) : left_(std::move(values)), basis_(left_.size(), 0) {}

  double degrees() const { return static_cast<double>(left_.size() - basis_.cols()); }  ///< of freedom
  /// The sum of the squared residuals.
  double squares() const { return left_.squaredNorm(); }
  /// The residuals: the values without the removed patterns.
  const Eigen::VectorXd& values() const { return left_; }

  /// The part of a pattern that is orthogonal to the removed ones; nothing if that is rounding, or no degree of freedom
  /// is left.
  std::optional<Eigen::VectorXd> own_part(const Eigen::VectorXd& pattern) const;
  /// The amount of a pattern in the residuals, by least squares, over the amount's standard deviation at s = 1; nothing
  /// if own_part() is nothing.
  std::optional<double> score(const Eigen::VectorXd& pattern) const;
  /// Changes the residuals so that they contain exactly this amount of the pattern, instead of their own. Does nothing
  /// if own_part() is nothing.
  void set_amount(const Eigen::VectorXd& pattern, double amount);
  /// Removes a pattern from the values by least squares, which costs a degree of freedom. Does nothing if own_part() is
  /// nothing.
  void take_out(const Eigen::VectorXd& pattern);

 private:
  Eigen::VectorXd left_;
  Eigen::MatrixXd basis_;  ///< orthonormal
};

}  // namespace seqpoint::checks
