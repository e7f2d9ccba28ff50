#include "core/eta/cost_curve.hpp"

#include <algorithm>

#include "core/linear_algebra.hpp"

namespace seqpoint::eta {
namespace {

/// The variance of the disturbance of one iteration, measured once at a shape of its own: a share of its cost, squared.
double disturbance_of(const select::ModelConstants& constants) {
  return constants.disturbance_variance(1, 1) + constants.jag * constants.jag;
}

/// The prior variance of an amount, a share of the mean cost, squared.
double prior_variance(const select::ModelConstants& constants) { return constants.amount * constants.amount; }

}  // namespace

RunCosts::RunCosts(const trace::Trace& run) : model_(trace::summarise(run)) {
  const std::vector<trace::Shape>& shapes = model_.shapes().shapes;
  row_.reserve(run.size());
  for (const trace::Shape& shape : run.shapes)
    row_.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(shapes, shape) - shapes.begin()));
}

Totals RunCosts::nothing() const { return {.functions = Eigen::VectorXd::Zero(model_.free_functions().cols())}; }

void RunCosts::add(Totals& to, std::size_t position) const {
  const std::uint32_t row = row_[position];
  const double size = model_.shapes().relative_size[row];
  to.size += size;
  to.squares += size * size;
  to.functions += model_.free_functions().row(row).transpose();
}

Totals RunCosts::totals(std::size_t begin, std::size_t end) const {
  Totals sum = nothing();
  for (std::size_t i = begin; i < end; ++i) add(sum, i);
  return sum;
}

Totals RunCosts::totals(std::span<const std::uint32_t> positions) const {
  Totals sum = nothing();
  for (const std::uint32_t i : positions) add(sum, i);
  return sum;
}

CostCurve::CostCurve(const select::CostModel& model)
    : model_(model),
      sums_(Eigen::VectorXd::Zero(model.free_functions().cols())),
      with_seconds_(sums_),
      functions_(Eigen::MatrixXd::Zero(with_seconds_.size(), with_seconds_.size())) {}

void CostCurve::add(const Totals& timed, double seconds) {
  const double weight = 1 / (disturbance_of(model_.constants()) * timed.squares);
  ++count_;
  size_ += timed.size;
  seconds_ += seconds;
  sums_ += timed.functions;
  squares_ += weight * seconds * seconds;
  with_seconds_ += weight * seconds * timed.functions;
  functions_ += timed.functions * (weight * timed.functions).transpose();
}

/// The inverse of the covariance of the amounts, if disturbances have `scale` times their prior variance.
Eigen::MatrixXd CostCurve::precision(double scale) const {
  Eigen::MatrixXd sum = functions_ / scale;
  sum.diagonal().array() += 1 / prior_variance(model_.constants());
  return sum;
}

/// The most probable amounts of the functions, in units of seconds_per_size().
Eigen::VectorXd CostCurve::amounts(double scale) const {
  const Eigen::VectorXd &usual = model_.amounts_of_size(),
                        off = (with_seconds_ / seconds_per_size() - functions_ * usual) / scale;
  return usual + CholeskyFactor(precision(scale)).solve(off);
}

/// The variance of the disturbances over its prior: of the residuals, and of one more that is as large as the prior.
double CostCurve::residual_scale() const {
  const double unit = seconds_per_size();
  const Eigen::VectorXd at = amounts(1);
  const double residuals = squares_ / (unit * unit) - 2 * at.dot(with_seconds_) / unit + at.dot(functions_ * at);
  return (1 + std::max(residuals, 0.0)) / (1 + count_);
}

double CostCurve::by_functions(const Totals& at) const {
  return seconds_per_size() * at.functions.dot(amounts(residual_scale()));
}

double CostCurve::variance(const Totals& at) const {
  const double unit = seconds_per_size(), scale = residual_scale();
  const double of_amounts = at.functions.dot(CholeskyFactor(precision(scale)).solve(at.functions));
  return unit * unit * (of_amounts + scale * disturbance_of(model_.constants()) * at.squares);
}

}  // namespace seqpoint::eta
