#include "core/checks/remainder.hpp"

namespace seqpoint::checks {

std::optional<Eigen::VectorXd> Remainder::own_part(const Eigen::VectorXd& pattern) const {
  constexpr double kMinOwnShare = 1e-6;
  if (degrees() < 1) return std::nullopt;
  Eigen::VectorXd own = pattern;
  for (int pass = 0; pass < 2; ++pass)  // a single pass loses digits
    own -= basis_ * (basis_.transpose() * own).eval();
  if (!(own.norm() > kMinOwnShare * pattern.norm())) return std::nullopt;
  return own;
}

std::optional<double> Remainder::score(const Eigen::VectorXd& pattern) const {
  const auto own = own_part(pattern);
  if (!own) return std::nullopt;
  return own->dot(left_) / own->norm();
}

void Remainder::set_amount(const Eigen::VectorXd& pattern, double amount) {
  const auto own = own_part(pattern);
  if (own) left_ += (amount - own->dot(left_) / own->squaredNorm()) * *own;
}

void Remainder::take_out(const Eigen::VectorXd& pattern) {
  const auto own = own_part(pattern);
  if (!own) return;
  basis_.conservativeResize(Eigen::NoChange, basis_.cols() + 1);
  basis_.rightCols(1) = own->normalized();
  left_ -= basis_.rightCols(1) * (basis_.rightCols(1).transpose() * left_).eval();
}

}  // namespace seqpoint::checks
