#include "student_t.hpp"

#include <cmath>
#include <initializer_list>

namespace seqpoint {
namespace {

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), evaluated by Lentz's method;
/// converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEnough = 1e-16;
  double c = 1, d = 1 / std::fmax(1 - (a + b) * x / (a + 1), kTiny), fraction = d;
  for (int m = 1; m < 10'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (d == 0 ? kTiny : d);
      c = c == 0 ? kTiny : c;
      change = c * d;
      fraction *= change;
    }
    if (std::abs(change - 1) < kEnough) break;
  }
  return fraction;
}

/// The regularised incomplete beta function I_x(a, b), with y = 1 - x as exact as x is.
double incomplete_beta(double a, double b, double x, double y) {
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, y, x);
  const double front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y);
  return std::exp(front) / a * beta_fraction(a, b, x);
}

/// P(|T| > t)
double outside(double t, double freedom) {
  const double both = freedom + t * t;
  return incomplete_beta(freedom / 2, 0.5, freedom / both, t * t / both);
}

}  // namespace

double student_t(double confidence, double freedom) {
  double low = 0, high = 1;
  while (outside(high, freedom) > 1 - confidence) high *= 2;
  for (double t = 0.5; t > low && t < high; t = low + (high - low) / 2)
    (outside(t, freedom) > 1 - confidence ? low : high) = t;
  return low;
}

}  // namespace seqpoint
