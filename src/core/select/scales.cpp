#include "core/select/scales.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/linear_algebra.hpp"

namespace seqpoint::select {
namespace {

/// The grid: standard deviations of the priors of ln s and ln g, and of ln t. Finer or wider ones give the same
/// half-widths to a thousandth.
constexpr Eigen::Index kScaleSteps = 25, kLevelSteps = 15;
constexpr double kFarthestScale = 3.5, kFarthestLevel = 3;
/// Totals that weights miss by less do so by the rounding of weights.
constexpr double kRoundingOfTotals = 1e-8;

/// Normal distributions about 0 with weights.
struct Mixture {
  Eigen::ArrayXd weight, deviation;

  /// h + (confidence - P(|X| <= h)) / the density there: a step of Newton's.
  double next(double h, double confidence) const {
    const Eigen::ArrayXd z = h / deviation;
    const double held = (weight * (z / std::numbers::sqrt2).unaryExpr([](double a) { return std::erf(a); })).sum();
    const double slope = (weight / deviation * (-0.5 * z.square()).exp()).sum() * std::sqrt(2 / std::numbers::pi);
    return h + std::max((confidence - held) / slope, -0.9 * h);
  }
  /// P(|X| <= h) = `confidence`, from a guess. The probability rises and is concave in h: after the first of Newton's
  /// steps all come from below.
  double half_width(double h, double confidence) const {
    constexpr int kMostSteps = 100;
    for (int i = 0; i < kMostSteps; ++i) {
      const double before = std::exchange(h, next(h, confidence));
      if (std::abs(h - before) <= 1e-9 * h) break;  // the next one would be at the last digit
    }
    return h;
  }
  double usual_deviation() const { return std::exp((weight * deviation.log()).sum() / weight.sum()); }
  /// Components of nearly the same deviation as one.
  Mixture coarse() const {
    constexpr double kPerUnit = 16;
    const Eigen::ArrayXd bins = (deviation.log() * kPerUnit).round();
    const double first = bins.minCoeff();
    Mixture few{Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(bins.maxCoeff() - first) + 1), {}};
    for (Eigen::Index i = 0; i < weight.size(); ++i)
      few.weight[static_cast<Eigen::Index>(bins[i] - first)] += weight[i];
    few.deviation = (Eigen::ArrayXd::LinSpaced(few.weight.size(), first, bins.maxCoeff()) / kPerUnit).exp();
    return few;
  }
};

double mixture_half_width(const Eigen::ArrayXd& weight, const Eigen::ArrayXd& variance, double confidence) {
  if (!(variance.maxCoeff() > 0)) return 0;
  const Mixture all{weight, variance.max(variance.maxCoeff() * 1e-30).sqrt()};
  return all.half_width(all.coarse().half_width(2 * all.usual_deviation(), confidence), confidence);
}

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
  if (parts.level == 0) return mixture_half_width(weight_.rowwise().sum(), variance, confidence);
  const Eigen::ArrayXXd all =
      variance.replicate(1, ln_t_.size()) + parts.level * (2 * (ln_s_.rowwise() + ln_t_.transpose())).exp();
  return mixture_half_width(weight_.reshaped(), all.reshaped(), confidence);
}

double ScalesPosterior::missed_variance_at_means(const ErrorParts& parts) const {
  if (!misses_totals(parts)) return 0;
  return missed_variances(parts.missed, Eigen::ArrayXd::Constant(1, std::exp(2 * mean_ln_s())),
                          Eigen::ArrayXd::Constant(1, std::exp(2 * mean_ln_g())))[0];
}

NoisePosterior::NoisePosterior(double spread, const NoiseEvidence& evidence) {
  // ln s = spread x. Steps of at most half a standard deviation keep all digits.
  constexpr double kFarthest = 8, kUsualStep = 0.1;
  const double step = std::min(kUsualStep, 0.5 / (spread * std::sqrt(2 * std::max(evidence.degrees, 1.0))));
  const double half = std::ceil(kFarthest / step);
  const Eigen::ArrayXd x = step * Eigen::ArrayXd::LinSpaced(static_cast<Eigen::Index>(2 * half + 1), -half, half);
  ln_s_ = spread * x;
  const Eigen::ArrayXd logs =
      -0.5 * x.square() - evidence.degrees * ln_s_ - 0.5 * evidence.squares * (-2 * ln_s_).exp();
  weight_ = (logs - logs.maxCoeff()).exp();
  weight_ /= weight_.sum();
}

double NoisePosterior::probability_beyond(double distance) const {
  // Finite where the weight is 0, too.
  const Eigen::ArrayXd z = distance * (-ln_s_).min(700.0).exp() / std::numbers::sqrt2;
  return (weight_ * z.unaryExpr([](double a) { return std::erfc(a); })).sum();
}

double NoisePosterior::probability_beyond(double distance, double own_spread) const {
  constexpr double kFarthest = 8, kStep = 0.1;
  double probability = 0, weights = 0;
  for (double x = -kFarthest; x <= kFarthest; x += kStep) {
    const double weight = std::exp(-x * x / 2);
    weights += weight;
    probability += weight * probability_beyond(distance * std::exp(-own_spread * x));
  }
  return probability / weights;
}

double NoisePosterior::median() const {
  Eigen::Index middle = 0;
  for (double below = weight_[0]; below < 0.5; below += weight_[middle]) ++middle;
  return std::exp(ln_s_[middle]);
}

}  // namespace seqpoint::select
