// Quantiles of Student's t: closed forms of one, two and four degrees of freedom, and tables.
#include "core/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace seqpoint {
namespace {

TEST(StudentQuantile, ClosedForms) {
  for (const double c : {0.01, 0.5, 0.8, 0.95, 0.99}) {
    const double one = std::tan(std::numbers::pi * c / 2), two = c * std::sqrt(2 / (1 - c * c));
    const double a = std::sqrt(1 - c * c), four = 2 * std::sqrt(std::cos(std::acos(a) / 3) / a - 1);
    EXPECT_NEAR(student_quantile(c, 1), one, 1e-9 * one) << c;
    EXPECT_NEAR(student_quantile(c, 2), two, 1e-9 * two) << c;
    EXPECT_NEAR(student_quantile(c, 4), four, 1e-9 * four) << c;
  }
}

// scipy.stats.t.ppf((1 + confidence) / 2, freedom), SciPy 1.10.1, which is good to about 1e-9.
TEST(StudentQuantile, IsSciPys) {
  EXPECT_NEAR(student_quantile(0.9, 7.3), 1.8829300179371542, 1e-8);
  EXPECT_NEAR(student_quantile(0.95, 1.5), 6.016663107990447, 1e-8);
  EXPECT_NEAR(student_quantile(0.99, 3), 5.84090929975643, 1e-7);
  EXPECT_NEAR(student_quantile(0.999, 30), 3.6459586349971502, 1e-8);
}

TEST(StudentQuantile, OfManyDegreesOfFreedomIsTheNormalQuantile) {
  EXPECT_NEAR(student_quantile(0.95, 1e6), 1.959963984540054 + 2.3723e-6, 1e-8);  // z + (z^3 + z) / (4 freedom)
}

}  // namespace
}  // namespace seqpoint
