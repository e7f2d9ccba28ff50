/// \file
/// What is left of values once patterns are taken out of them.
#pragma once

#include <Eigen/Core>

#include <optional>
#include <utility>

namespace seqpoint::checks {

/// Values whose disturbances are independent and of one variance s^2, and patterns that are taken out of them one by
/// one, by least squares. All vectors are of one length.
class Remainder {
 public:
  explicit Remainder(Eigen::VectorXd values) : left_(std::move(values)), basis_(left_.size(), 0) {}

  double degrees() const { return static_cast<double>(left_.size() - basis_.cols()); }  ///< of freedom
  double squares() const { return left_.squaredNorm(); }
  const Eigen::VectorXd& values() const { return left_; }

  /// What a pattern has beside those that were taken out; nothing where that is rounding.
  std::optional<Eigen::VectorXd> own_part(const Eigen::VectorXd& pattern) const;
  /// The amount of a pattern in the values over its standard deviation at s = 1; nothing where it cannot be told.
  std::optional<double> score(const Eigen::VectorXd& pattern) const;
  /// As if the values had this amount of the pattern beside those that were taken out. Nothing happens where own_part
  /// is nothing.
  void set_amount(const Eigen::VectorXd& pattern, double amount);
  /// Nothing happens where own_part is nothing.
  void take_out(const Eigen::VectorXd& pattern);

 private:
  Eigen::VectorXd left_;
  Eigen::MatrixXd basis_;  ///< orthonormal
};

}  // namespace seqpoint::checks
