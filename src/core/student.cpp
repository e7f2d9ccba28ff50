#include "student.hpp"

#include <cmath>
#include <utility>

namespace seqpoint {
namespace {

/// The continued fraction of DLMF 8.17.22, from the front.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), fraction = d;
  constexpr int kMostTerms = 500;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return fraction;
}

/// The x in [low, high] where an increasing function reaches `aim`.
template <class Function>
double where(Function function, double aim, double low, double high) {
  for (int step = 0; step < 200 && high - low > 1e-14 * high; ++step) {
    const double middle = low + (high - low) / 2;
    (function(middle) < aim ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on the near side of the mean only.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_quantile(double confidence, double freedom) {
  // P(|T| > t) = I_y(freedom / 2, 1/2) with y = freedom / (freedom + t^2), which a large t leaves all its digits.
  const double y = where([&](double v) { return incomplete_beta(freedom / 2, 0.5, v); }, 1 - confidence, 0, 1);
  return std::sqrt(freedom * (1 - y) / y);
}

double variance_ratio_quantile(double share, double freedom) {
  // P(F <= f) = I_x(freedom / 2, freedom / 2) with x = f / (1 + f).
  const double x = where([&](double v) { return incomplete_beta(freedom / 2, freedom / 2, v); }, share, 0, 1);
  return x / (1 - x);
}

}  // namespace seqpoint
