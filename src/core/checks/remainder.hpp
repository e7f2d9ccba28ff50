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
  explicit Remainder(Eigen::VectorXd values) : left_(std::move(values)), basis_(left_.size(), 0) {}

  double degrees() const { return static_cast<double>(left_.size() - basis_.cols()); }  ///< of freedom
  double squares() const { return left_.squaredNorm(); }
  const Eigen::VectorXd& values() const { return left_; }

  /// The part of a pattern that is orthogonal to the removed ones; nothing if that is rounding.
  std::optional<Eigen::VectorXd> own_part(const Eigen::VectorXd& pattern) const;
  /// The amount of a pattern in the values over its standard deviation at s = 1; nothing if it cannot be determined.
  std::optional<double> score(const Eigen::VectorXd& pattern) const;
  /// As if the values contained this amount of the pattern in addition to the removed ones. Does nothing if own_part is
  /// nothing.
  void set_amount(const Eigen::VectorXd& pattern, double amount);
  /// Does nothing if own_part is nothing.
  void take_out(const Eigen::VectorXd& pattern);

 private:
  Eigen::VectorXd left_;
  Eigen::MatrixXd basis_;  ///< orthonormal
};

}  // namespace seqpoint::checks
