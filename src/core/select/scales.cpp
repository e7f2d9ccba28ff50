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

Eigen::ArrayXd PointScales::missed_variances(const Eigen::VectorXd& missed, const Eigen::ArrayXd& s2,
                                             const Eigen::ArrayXd& g2) const {
  Eigen::ArrayXd variances = Eigen::ArrayXd::Zero(s2.size());
  if (missed.size() == 0 || missed.cwiseAbs().maxCoeff() <= kRoundingOfTotals) return variances;
  const SymmetricEigen eigen(misfit_);
  const Eigen::MatrixXd functions = eigen.vectors.transpose() * free_functions_;
  for (Eigen::Index j = 0; j < s2.size(); ++j) {
    const Eigen::VectorXd precision = (g2[j] * eigen.values.array().max(0.0) + s2[j]).inverse();
    const CholeskyFactor amounts(functions.transpose() * precision.asDiagonal() * functions);
    variances[j] = missed.dot(amounts.solve(missed));
  }
  return variances;
}

ScalesPosterior::ScalesPosterior(const PointScales& points, const Eigen::VectorXd& costs, const NoiseEvidence& evidence,
                                 std::span<const LevelEvidence> levels, int sides)
    : points_(points), sides_(sides) {
  const Eigen::ArrayXd x = Eigen::ArrayXd::LinSpaced(kScaleSteps, -kFarthestScale, kFarthestScale);
  const Eigen::ArrayXd of_t =
      Eigen::ArrayXd::LinSpaced(levels.empty() ? 0 : kLevelSteps, -kFarthestLevel, kFarthestLevel);
  weight_.resize(x.size() * x.size(), std::max<Eigen::Index>(of_t.size(), 1));
  ln_s_ = ln_g_ = Eigen::ArrayXd(weight_.rows());
  ln_t_ = std::log(points.constants_.session) + points.constants_.session_spread * of_t;
  const Eigen::ArrayXd squares = (points.basis_ * costs).array().square();
  for (Eigen::Index j = 0; j < weight_.rows(); ++j) {
    const double of_s = x[j / x.size()], of_g = x[j % x.size()];
    ln_s_[j] = points.constants_.noise_spread * of_s;
    ln_g_[j] = points.constants_.misfit_spread * of_g;
    const double noise = sides * std::exp(2 * ln_s_[j]);
    const Eigen::ArrayXd variance = std::exp(2 * ln_g_[j]) * points.eigenvalues_.array() + noise;
    weight_.row(j).setConstant(-0.5 * (of_s * of_s + of_g * of_g) - 0.5 * (variance.log() + squares / variance).sum() -
                               evidence.degrees * ln_s_[j] - 0.5 * evidence.squares / noise);
  }
  for (Eigen::Index i = 0; i < of_t.size(); ++i) {
    weight_.col(i) -= 0.5 * of_t[i] * of_t[i];
    for (const auto& [degrees, level_squares, noise] : levels) {
      if (degrees == 0) continue;
      const Eigen::ArrayXd each = (2 * ln_s_).exp() * (std::exp(2 * ln_t_[i]) + noise);
      weight_.col(i) -= 0.5 * degrees * each.log() + 0.5 * level_squares / each;
    }
  }
  weight_ = (weight_ - weight_.maxCoeff()).exp();
  weight_ /= weight_.sum();
}

double ScalesPosterior::half_width(const ErrorParts& parts, double confidence) const {
  const Eigen::ArrayXd s2 = (2 * ln_s_).exp(), g2 = (2 * ln_g_).exp();
  const Eigen::ArrayXd variance =
      parts.misfit * g2 + parts.noise * s2 + parts.amounts + points_.missed_variances(parts.missed, sides_ * s2, g2);
  if (parts.level == 0) return normal_mixture_half_width(weight_.rowwise().sum(), variance, confidence);
  const Eigen::ArrayXXd levels = (2 * (ln_s_.replicate(1, ln_t_.size()).rowwise() + ln_t_.transpose())).exp();
  const Eigen::ArrayXXd all = variance.replicate(1, ln_t_.size()) + parts.level * levels;
  return normal_mixture_half_width(weight_.reshaped(), all.reshaped(), confidence);
}

Scales ScalesPosterior::scales() const {
  Scales means{std::exp((weight_.colwise() * ln_s_).sum()), std::exp((weight_.colwise() * ln_g_).sum()), {}};
  if (ln_t_.size() > 0) means.level = std::exp((weight_.rowwise() * ln_t_.transpose()).sum());
  return means;
}

}  // namespace seqpoint::select
