// An interpolation of random points, whatever they are: it passes through them, knows no units, and stays between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "property/draw.hpp"
#include "seqpoint/cost_curve.hpp"

namespace seqpoint {
namespace {

using testing::Draw;
using testing::for_seeds;

struct Points {
  std::vector<PointKey> keys;
  std::vector<double> values;
};

/// One to twenty points of one or two lengths, with one batch size, several or none; positive values of any size.
Points random_points(Draw& draw, bool one_length_only = false) {
  Points all;
  const bool paired = !one_length_only && draw.below(2) == 0;
  const std::uint32_t batches = one_length_only ? 0 : draw.below(3);
  const double unit = std::exp2(static_cast<int>(draw.below(40)) - 20);
  for (std::uint32_t p = draw.between(1U, 20U); p > 0; --p) {
    PointKey key{draw.between(1U, 60U), {}, {}};
    if (paired) key.tgt_len = draw.between(1U, 60U);
    if (batches > 0) key.batch_size = batches == 1 ? 32 : draw.between(1U, 64U);
    if (std::find(all.keys.begin(), all.keys.end(), key) != all.keys.end()) continue;
    all.keys.push_back(key);
    all.values.push_back(unit * (1 + key.src_len + draw.below(30)));
  }
  return all;
}

Signature signature(const PointKey& key) { return {key.src_len, key.tgt_len.value_or(0), key.batch_size.value_or(32)}; }

std::vector<SignatureCount> random_histogram(Draw& draw) {
  std::vector<SignatureCount> all;
  for (int i = 0; i < 30; ++i)
    all.push_back({{draw.between(1U, 90U), draw.between(1U, 90U), draw.between(1U, 64U)}, draw.between(1U, 9U)});
  return all;
}

TEST(CostCurveProperty, PassesThroughItsPointsAndIsNeverNegative) {
  for_seeds(500, [](Draw& draw) {
    const Points points = random_points(draw);
    const CostCurve curve(points.keys, points.values);
    for (std::size_t p = 0; p < points.keys.size(); ++p) {
      EXPECT_NEAR(curve(signature(points.keys[p])), points.values[p], 1e-12 * points.values[p]);
      EXPECT_EQ(curve.outside(signature(points.keys[p])), 0);
    }
    for (const SignatureCount& entry : random_histogram(draw)) {
      EXPECT_GE(curve(entry.signature), 0);
      EXPECT_TRUE(std::isfinite(curve(entry.signature)));
    }
  });
}

TEST(CostCurveProperty, TheOrderOfThePointsAndTheUnitOfTheValuesDoNotMatter) {
  for_seeds(500, [](Draw& draw) {
    const Points points = random_points(draw);
    Points other = points;
    for (double& value : other.values) value *= 8;  // a power of two: no rounding
    for (std::size_t p = other.keys.size(); p-- > 1;) {
      const std::size_t q = draw.below(p + 1);
      std::swap(other.keys[p], other.keys[q]);
      std::swap(other.values[p], other.values[q]);
    }
    const std::vector<SignatureCount> histogram = random_histogram(draw);
    EXPECT_DOUBLE_EQ(CostCurve(other.keys, other.values).total(histogram),
                     8 * CostCurve(points.keys, points.values).total(histogram));
  });
}

TEST(CostCurveProperty, BetweenTwoNeighboursOfOneLengthItStaysBetweenTheirValues) {
  for_seeds(500, [](Draw& draw) {
    const Points points = random_points(draw, true);
    const CostCurve curve(points.keys, points.values);
    std::map<std::uint32_t, double> sorted;
    for (std::size_t p = 0; p < points.keys.size(); ++p) sorted[points.keys[p].src_len] = points.values[p];
    for (auto right = std::next(sorted.begin()); right != sorted.end(); ++right) {
      const auto left = std::prev(right);
      const double low = std::min(left->second, right->second), high = std::max(left->second, right->second);
      double before = left->second;
      for (std::uint32_t s = left->first; s <= right->first; ++s) {
        const double now = curve({s, 0, 32});
        EXPECT_GE(now, low * (1 - 1e-12));
        EXPECT_LE(now, high * (1 + 1e-12));
        EXPECT_GE((now - before) * (right->second - left->second), -1e-12 * high * high) << "turns back at " << s;
        before = now;
      }
    }
  });
}

TEST(CostCurveProperty, ATotalIsTheSumOfItsIterations) {
  for_seeds(500, [](Draw& draw) {
    const Points points = random_points(draw);
    const CostCurve curve(points.keys, points.values);
    const std::vector<SignatureCount> histogram = random_histogram(draw);
    double sum = 0;
    for (const SignatureCount& entry : histogram)
      for (std::uint64_t i = 0; i < entry.count; ++i) sum += curve(entry.signature);
    EXPECT_NEAR(curve.total(histogram), sum, 1e-12 * sum);
  });
}

}  // namespace
}  // namespace seqpoint
