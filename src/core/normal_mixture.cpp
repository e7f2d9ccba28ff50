#include "core/normal_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace seqpoint {
namespace {

/// Weighted normal distributions with mean 0.
struct Mixture {
  Eigen::ArrayXd weight, deviation;

  /// One Newton step: h + (confidence - P(|X| <= h)) / the density of |X| at h, but at least h / 10.
  double next(double h, double confidence) const {
    const Eigen::ArrayXd z = h / deviation;
    const double held = (weight * (z / std::numbers::sqrt2).unaryExpr([](double a) { return std::erf(a); })).sum();
    const double slope = (weight / deviation * (-0.5 * z.square()).exp()).sum() * std::sqrt(2 / std::numbers::pi);
    return h + std::max((confidence - held) / slope, -0.9 * h);
  }
  /// Solves P(|X| <= h) = `confidence`, starting from h. The probability rises and is concave in h: after the first
  /// Newton step all iterates approach from below.
  double half_width(double h, double confidence) const {
    constexpr int kMaxSteps = 100;
    for (int i = 0; i < kMaxSteps; ++i) {
      const double before = std::exchange(h, next(h, confidence));
      if (std::abs(h - before) <= 1e-9 * h) break;  // the next step would change the last digit only
    }
    return h;
  }
  /// The weighted geometric mean of the standard deviations.
  double usual_deviation() const { return std::exp((weight * deviation.log()).sum() / weight.sum()); }
  /// Merges components of nearly the same deviation, within 1/16 of its logarithm.
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

}  // namespace

double normal_mixture_half_width(const Eigen::ArrayXd& weight, const Eigen::ArrayXd& variance, double confidence) {
  if (!(variance.maxCoeff() > 0)) return 0;
  const Mixture all{weight, variance.max(variance.maxCoeff() * 1e-30).sqrt()};
  return all.half_width(all.coarse().half_width(2 * all.usual_deviation(), confidence), confidence);
}

}  // namespace seqpoint
