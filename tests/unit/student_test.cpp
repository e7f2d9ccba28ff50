// Quantiles beside SciPy's. The tables are scipy.stats.t.isf((1 - c) / 2, nu), scipy.stats.f.ppf(p, nu, nu) and
// scipy.special.betainc(a, b, x) of SciPy 1.10.1, whose own last digits differ from ours.
#include "core/student.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace seqpoint {
namespace {

/// Of one probability, for several degrees of freedom.
struct Quantiles {
  double probability;
  std::vector<double> at;
};

constexpr std::array kStudentFreedom{1.0, 1.25, 2.5, 5.0, 15.0, 100.0, 100000.0};
const std::vector<Quantiles> kStudent{
    {0.5, {1.00000000001, 0.920972575421, 0.785013681281, 0.726686843798, 0.691196948958, 0.676951043008, 0.674492203553}},
    {0.8, {3.07768353721, 2.50135016742, 1.73025092881, 1.47588404878, 1.34060560785, 1.29007476134, 1.28156003145}},
    {0.95, {12.7062047364, 8.02795138851, 3.57465484201, 2.57058183661, 2.13144954556, 1.98397151845, 1.95998770753}},
    {0.99, {63.6567411629, 29.2720189502, 7.16372813402, 4.03214298356, 2.94671288334, 2.62589052059, 2.57587846991}},
    {0.999999, {636619.772349, 46416.441921, 290.523061596, 28.4784734628, 7.90323363268, 5.21372757422, 4.89194334071}},
};

constexpr std::array kRatioFreedom{1.0, 2.0, 4.0, 10.0, 50.0, 200.0};
const std::vector<Quantiles> kRatio{
    {0.1, {0.0250856309369, 0.111111111111, 0.243471936563, 0.430551237081, 0.693990345911, 0.833943344932}},
    {0.5, {1, 1, 1, 1, 1, 1}},
    {0.95, {161.447638798, 19, 6.3882329087, 2.97823701608, 1.59949546684, 1.26259781741}},
    {0.995, {16210.7227202, 199, 23.1545014379, 5.84667842506, 2.0967080138, 1.44158514591}},
    {0.999, {405284.067903, 999, 53.4358291228, 8.75386627545, 2.44133039571, 1.55164671684}},
};

struct BetaShare {
  double a, b, x, share;
};
constexpr BetaShare kBeta[] = {
    {0.5, 0.5, 0.1, 0.204832764699},
    {0.5, 0.5, 0.9, 0.795167235301},
    {1, 1, 0.3, 0.3},
    {2, 3, 0.5, 0.6875},
    {0.5, 5, 0.01, 0.242841890898},
    {0.5, 5, 0.6, 0.996905913314},
    {5, 0.5, 0.6, 0.027322920203},
    {5, 0.5, 0.999, 0.922281992101},
    {40, 40, 0.3, 9.83350037064e-05},
    {40, 40, 0.7, 0.999901664996},
    {1000, 0.5, 0.999, 0.157247274267},
    {1000, 1000, 0.49, 0.185552659431},
    {0.1, 0.1, 1e-09, 0.0638573894591},
    {3, 7, 1e-05, 8.39962200756e-14},
    {50000, 0.5, 0.99999, 0.317310507866},
};

TEST(StudentQuantile, IsSciPys) {
  for (const Quantiles& row : kStudent)
    for (std::size_t i = 0; i < row.at.size(); ++i)
      EXPECT_NEAR(student_quantile(row.probability, kStudentFreedom[i]), row.at[i], 1e-7 * row.at[i])
          << row.probability << ", " << kStudentFreedom[i] << " degrees of freedom";
}

// Of one degree of freedom t is the tangent; of two, c sqrt(2 / (1 - c^2)).
TEST(StudentQuantile, OfOneAndTwoDegreesOfFreedomHasAClosedForm) {
  for (const double c : {0.01, 0.5, 0.9, 0.95, 0.999, 0.999999999}) {
    const double tangent = std::tan(c * std::numbers::pi / 2);
    EXPECT_NEAR(student_quantile(c, 1), tangent, 1e-6 * tangent) << c;
    EXPECT_NEAR(student_quantile(c, 2), c * std::sqrt(2 / ((1 - c) * (1 + c))), 1e-6 * tangent) << c;
  }
}

TEST(VarianceRatioQuantile, IsSciPys) {
  for (const Quantiles& row : kRatio)
    for (std::size_t i = 0; i < row.at.size(); ++i)
      EXPECT_NEAR(variance_ratio_quantile(row.probability, kRatioFreedom[i]), row.at[i], 1e-7 * row.at[i])
          << row.probability << ", " << kRatioFreedom[i] << " degrees of freedom";
}

TEST(IncompleteBeta, IsSciPys) {
  for (const BetaShare& row : kBeta)
    EXPECT_NEAR(incomplete_beta(row.a, row.b, row.x), row.share, 1e-9 * row.share) << row.a << " " << row.b << " " << row.x;
}

TEST(IncompleteBeta, IsNothingAtNothingAndAllAtOne) {
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
}

}  // namespace
}  // namespace seqpoint
