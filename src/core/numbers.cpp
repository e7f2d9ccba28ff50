#include "core/numbers.hpp"

// Values beyond double's precision do not change a figure, and long double differs between machines.
#define BOOST_MATH_PROMOTE_DOUBLE_POLICY false
#include <algorithm>
#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace seqpoint {

// --- Sums that equal NumPy's to the last bit

double numpy_sum(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n > 128) {
    const std::size_t half = n / 2 - n / 2 % 8;
    return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
  }
  double sum = 0;
  std::size_t i = 0;
  if (n >= 8) {
    std::array<double, 8> r;
    std::copy_n(values.begin(), 8, r.begin());
    for (i = 8; i + 8 <= n; i += 8)
      for (std::size_t k = 0; k < 8; ++k) r[k] += values[i + k];
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  }
  for (; i < n; ++i) sum += values[i];
  return sum;
}

// --- Tails of the distributions that tests and intervals need

double normal_quantile(double probability) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability); }

}  // namespace seqpoint
