// An interpolation of random points, whatever they are: it passes through them, knows no units, and stays between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "seqpoint/cost_curve.hpp"
#include "seqpoint/rng.hpp"

namespace seqpoint {
namespace {

struct Points {
  std::vector<PointKey> keys;
  std::vector<double> values;
};

/// Calls `check(engine)` for many seeds.
template <class Check>
void for_seeds(Check check) {
  for (std::uint32_t seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mt19937 engine(seed);
    check(engine);
  }
}

std::uint32_t between(Mt19937& engine, std::uint32_t low, std::uint32_t high) {
  return low + engine() % (high - low + 1);
}

/// One to twenty points of one or two lengths, with one batch size, several or none; positive values of any size.
Points random_points(Mt19937& engine, bool one_length_only = false) {
  Points all;
  const bool paired = !one_length_only && engine() % 2 == 0;
  const std::uint32_t batches = one_length_only ? 0 : engine() % 3;
  const double unit = std::exp2(static_cast<int>(engine() % 40) - 20);
  for (std::uint32_t p = between(engine, 1, 20); p > 0; --p) {
    PointKey key{between(engine, 1, 60), {}, {}};
    if (paired) key.tgt_len = between(engine, 1, 60);
    if (batches > 0) key.batch_size = batches == 1 ? 32 : between(engine, 1, 64);
    if (std::find(all.keys.begin(), all.keys.end(), key) != all.keys.end()) continue;
    all.keys.push_back(key);
    all.values.push_back(unit * (1 + key.src_len + engine() % 30));
  }
  return all;
}

Signature signature(const PointKey& key) { return {key.src_len, key.tgt_len.value_or(0), key.batch_size.value_or(32)}; }

std::vector<SignatureCount> random_histogram(Mt19937& engine) {
  std::vector<SignatureCount> all;
  for (int i = 0; i < 30; ++i)
    all.push_back({{between(engine, 1, 90), between(engine, 1, 90), between(engine, 1, 64)}, between(engine, 1, 9)});
  return all;
}

TEST(CostCurveProperty, PassesThroughItsPointsAndIsNeverNegative) {
  for_seeds([](Mt19937& engine) {
    const Points points = random_points(engine);
    const CostCurve curve(points.keys, points.values);
    for (std::size_t p = 0; p < points.keys.size(); ++p) {
      EXPECT_NEAR(curve(signature(points.keys[p])), points.values[p], 1e-12 * points.values[p]);
      EXPECT_EQ(curve.outside(signature(points.keys[p])), 0);
    }
    for (const SignatureCount& entry : random_histogram(engine)) {
      EXPECT_GE(curve(entry.signature), 0);
      EXPECT_TRUE(std::isfinite(curve(entry.signature)));
    }
  });
}

TEST(CostCurveProperty, TheOrderOfThePointsAndTheUnitOfTheValuesDoNotMatter) {
  for_seeds([](Mt19937& engine) {
    const Points points = random_points(engine);
    Points other = points;
    for (double& value : other.values) value *= 8;  // a power of two: no rounding
    for (std::size_t p = other.keys.size(); p-- > 1;) {
      const std::size_t q = engine() % (p + 1);
      std::swap(other.keys[p], other.keys[q]);
      std::swap(other.values[p], other.values[q]);
    }
    const std::vector<SignatureCount> histogram = random_histogram(engine);
    EXPECT_DOUBLE_EQ(CostCurve(other.keys, other.values).total(histogram),
                     8 * CostCurve(points.keys, points.values).total(histogram));
  });
}

TEST(CostCurveProperty, BetweenTwoNeighboursOfOneLengthItStaysBetweenTheirValues) {
  for_seeds([](Mt19937& engine) {
    const Points points = random_points(engine, true);
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
  for_seeds([](Mt19937& engine) {
    const Points points = random_points(engine);
    const CostCurve curve(points.keys, points.values);
    const std::vector<SignatureCount> histogram = random_histogram(engine);
    double sum = 0;
    for (const SignatureCount& entry : histogram)
      for (std::uint64_t i = 0; i < entry.count; ++i) sum += curve(entry.signature);
    EXPECT_NEAR(curve.total(histogram), sum, 1e-12 * sum);
  });
}

}  // namespace
}  // namespace seqpoint
