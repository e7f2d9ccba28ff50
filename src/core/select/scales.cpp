#include "core/select/scales.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/linear_algebra.hpp"
#include "core/normal_mixture.hpp"

namespace seqpoint::select {
namespace {

/// The grid: standard deviations of the priors of ln s and ln g, and of ln t. Finer or wider ones give the same
/// half-widths to a thousandth.
constexpr Eigen::Index kScaleSteps = 25, kLevelSteps = 15;
constexpr double kFarthestScale = 3.5, kFarthestLevel = 3;
/// Totals that weights miss by less do so by the rounding of weights.
constexpr double kRoundingOfTotals = 1e-8;

bool misses_totals(const ErrorParts& parts) {
  return parts.missed.size() > 0 && parts.missed.cwiseAbs().maxCoeff() > kRoundingOfTotals;
}

Eigen::ArrayXd standard_steps(Eigen::Index steps, double farthest) {
  return Eigen::ArrayXd::LinSpaced(steps, -farthest, farthest);
}

}  // namespace

PointScales::PointScales(const ModelConstants& constants, const Eigen::MatrixXd& misfit,
                         const Eigen::VectorXd& disturbance, const Eigen::MatrixXd& free_functions)
    : constants_(constants) {
  const Eigen::VectorXd inverse_deviation = disturbance.cwiseSqrt().cwiseInverse();
  misfit_ = inverse_deviation.asDiagonal() * misfit * inverse_deviation.asDiagonal();
  free_functions_ = inverse_deviation.asDiagonal() * free_functions;
  const Eigen::MatrixXd left = SplitSpace(free_functions_).complement;
  const SymmetricEigen eigen(left.transpose() * misfit_ * left);
  eigenvalues_ = eigen.values.cwiseMax(0.0);
  basis_ = eigen.vectors.transpose() * left.transpose() * inverse_deviation.asDiagonal();
}

ScalesPosterior::ScalesPosterior(const PointScales& points, const Eigen::VectorXd& costs, const NoiseEvidence& evidence,
                                 std::span<const LevelEvidence> levels, int sides)
    : points_(points), sides_(sides), ln_t_(Eigen::ArrayXd::Zero(1)) {
  const Eigen::ArrayXd x = standard_steps(kScaleSteps, kFarthestScale);
  const Eigen::Index size = x.size() * x.size();
  weight_ = ln_s_ = ln_g_ = Eigen::ArrayXXd(size, 1);
  const Eigen::ArrayXd squares = (points.basis_ * costs).array().square();
  for (Eigen::Index j = 0; j < size; ++j) {
    const double of_s = x[j / x.size()], of_g = x[j % x.size()];
    ln_s_(j) = points.constants_.noise_spread * of_s;
    ln_g_(j) = points.constants_.misfit_spread * of_g;
    const double noise = sides * std::exp(2 * ln_s_(j));
    const Eigen::ArrayXd variance = std::exp(2 * ln_g_(j)) * points.eigenvalues_.array() + noise;
    weight_(j) = -0.5 * (of_s * of_s + of_g * of_g) - 0.5 * (variance.log() + squares / variance).sum() -
                 evidence.degrees * ln_s_(j) - 0.5 * evidence.squares / noise;
  }
  if (!levels.empty()) add_levels(levels);
  weight_ = (weight_ - weight_.maxCoeff()).exp();
  weight_ /= weight_.sum();
}

/// Makes a column of each step of t.
void ScalesPosterior::add_levels(std::span<const LevelEvidence> levels) {
  const Eigen::ArrayXd x = standard_steps(kLevelSteps, kFarthestLevel);
  ln_t_ = std::log(points_.constants_.session) + points_.constants_.session_spread * x;
  weight_ = weight_.col(0).replicate(1, x.size()).eval();
  ln_s_ = ln_s_.col(0).replicate(1, x.size()).eval();
  ln_g_ = ln_g_.col(0).replicate(1, x.size()).eval();
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    weight_.col(i) -= 0.5 * x[i] * x[i];
    for (const auto& [degrees, squares, noise] : levels) {
      if (degrees == 0) continue;
      const Eigen::ArrayXd each = (2 * ln_s_.col(i)).exp() * (std::exp(2 * ln_t_[i]) + noise);
      weight_.col(i) -= 0.5 * degrees * each.log() + 0.5 * squares / each;
    }
  }
}

/// d'G d, G being the covariance of the amounts of free functions, for each s^2 and g^2.
Eigen::ArrayXd ScalesPosterior::missed_variances(const Eigen::VectorXd& missed, const Eigen::ArrayXd& s2,
                                                 const Eigen::ArrayXd& g2) const {
  const SymmetricEigen eigen(points_.misfit_);
  const Eigen::MatrixXd functions = eigen.vectors.transpose() * points_.free_functions_;
  Eigen::ArrayXd variances(s2.size());
  for (Eigen::Index j = 0; j < s2.size(); ++j) {
    const Eigen::VectorXd precision = (g2[j] * eigen.values.array().max(0.0) + sides_ * s2[j]).inverse();
    const CholeskyFactor amounts(functions.transpose() * precision.asDiagonal() * functions);
    variances[j] = missed.dot(amounts.solve(missed));
  }
  return variances;
}

double ScalesPosterior::half_width(const ErrorParts& parts, double confidence) const {
  Eigen::ArrayXd variance =
      parts.misfit * (2 * ln_g_.col(0)).exp() + parts.noise * (2 * ln_s_.col(0)).exp() + parts.amounts;
  if (misses_totals(parts))
    variance += missed_variances(parts.missed, (2 * ln_s_.col(0)).exp(), (2 * ln_g_.col(0)).exp());
  if (parts.level == 0) return normal_mixture_half_width(weight_.rowwise().sum(), variance, confidence);
  const Eigen::ArrayXXd all =
      variance.replicate(1, ln_t_.size()) + parts.level * (2 * (ln_s_.rowwise() + ln_t_.transpose())).exp();
  return normal_mixture_half_width(weight_.reshaped(), all.reshaped(), confidence);
}

double ScalesPosterior::missed_variance_at_means(const ErrorParts& parts) const {
  if (!misses_totals(parts)) return 0;
  return missed_variances(parts.missed, Eigen::ArrayXd::Constant(1, std::exp(2 * mean_ln_s())),
                          Eigen::ArrayXd::Constant(1, std::exp(2 * mean_ln_g())))[0];
}

}  // namespace seqpoint::select
