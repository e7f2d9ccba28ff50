#include "core/distributions.hpp"

// Values beyond double's precision do not change a figure, and long double differs between machines.
#define BOOST_MATH_PROMOTE_DOUBLE_POLICY false
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

namespace seqpoint {

double f_tail(double f, double numerator_degrees, double denominator_degrees) {
  if (!(f > 0)) return 1;
  if (std::isinf(f)) return 0;
  const double share = numerator_degrees * f / (numerator_degrees * f + denominator_degrees);
  return boost::math::ibetac(numerator_degrees / 2, denominator_degrees / 2, share);
}

double two_sided_t_bound(double probability, double degrees) {
  double low = 0, high = 1;
  while (f_tail(high * high, 1, degrees) > probability) high *= 2;
  for (int halvings = 0; halvings < 60; ++halvings) {  // beyond double's precision
    const double middle = (low + high) / 2;
    (f_tail(middle * middle, 1, degrees) > probability ? low : high) = middle;
  }
  return high;
}

double normal_quantile(double probability) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability); }

}  // namespace seqpoint
