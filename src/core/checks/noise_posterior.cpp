#include "core/checks/noise_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace seqpoint::checks {

NoisePosterior::NoisePosterior(double spread, const select::NoiseEvidence& evidence) {
  // ln s = spread x. Steps of at most half a standard deviation lose no digits.
  constexpr double kFarthest = 8, kDefaultStep = 0.1;
  const double step = std::min(kDefaultStep, 0.5 / (spread * std::sqrt(2 * std::max(evidence.degrees, 1.0))));
  const double half = std::ceil(kFarthest / step);
  const Eigen::ArrayXd x = step * Eigen::ArrayXd::LinSpaced(static_cast<Eigen::Index>(2 * half + 1), -half, half);
  ln_s_ = spread * x;
  const Eigen::ArrayXd logs =
      -0.5 * x.square() - evidence.degrees * ln_s_ - 0.5 * evidence.squares * (-2 * ln_s_).exp();
  weight_ = (logs - logs.maxCoeff()).exp();
  weight_ /= weight_.sum();
}

double NoisePosterior::probability_beyond(double distance) const {
  // Finite even if the weight is 0.
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

}  // namespace seqpoint::checks
