// Interpolation of measured points: against SciPy's PCHIP, NumPy's least squares and costs that are known in closed
// form.
#include "seqpoint/cost_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "unit/vectors.hpp"

namespace seqpoint {
namespace {

using Values = std::vector<double>;
const nlohmann::json& vectors() {
  static const nlohmann::json json = testing::load_vectors("curves.json");
  return json;
}

PointKey of_length(std::uint32_t src_len) { return {src_len, {}, {}}; }
Signature at(std::uint32_t src_len, std::uint32_t batch_size = 32) { return {src_len, 0, batch_size}; }

/// The cost of a length, measured at a few.
template <class Cost>
CostCurve measured(std::initializer_list<std::uint32_t> lengths, Cost cost) {
  std::vector<PointKey> keys;
  Values values;
  for (const std::uint32_t length : lengths) {
    keys.push_back(of_length(length));
    values.push_back(cost(double(length)));
  }
  return {keys, values};
}

template <class Cost>
CostCurve measured(std::initializer_list<Signature> signatures, Cost cost) {
  std::vector<PointKey> keys;
  Values values;
  for (const Signature& s : signatures) {
    keys.push_back({s.src_len, s.tgt_len, s.batch_size});
    values.push_back(cost(double(s.src_len), double(s.tgt_len), double(s.batch_size)));
  }
  return {keys, values};
}

TEST(CostCurve, OfOneLengthIsSciPysPchip) {
  for (const auto& test : vectors().at("pchip")) {
    SCOPED_TRACE(test.at("name").get<std::string>());
    std::vector<PointKey> keys;
    for (const auto& length : test.at("src_len")) keys.push_back(of_length(length.get<std::uint32_t>()));
    const CostCurve curve(keys, test.at("value").get<Values>());
    for (std::size_t i = 0; i < test.at("at").size(); ++i) {
      const double expected = test.at("expected")[i].get<double>();
      EXPECT_NEAR(curve(at(test.at("at")[i].get<std::uint32_t>())), expected, 1e-12 * (1 + std::abs(expected)));
    }
  }
}

TEST(LowOrderFit, IsNumPysLeastSquares) {
  for (const auto& test : vectors().at("low_order_fit")) {
    SCOPED_TRACE(test.at("name").get<std::string>());
    const auto signature = [](const nlohmann::json& row) { return Signature{row[0], row[1], row[2]}; };
    std::vector<Signature> points;
    for (const auto& row : test.at("at")) points.push_back(signature(row));
    const LowOrderFit fit(points, test.at("value").get<Values>());
    EXPECT_EQ(fit.columns(), test.at("columns").get<std::size_t>());
    std::vector<SignatureCount> histogram;
    for (std::size_t i = 0; i < test.at("query").size(); ++i) {
      const double expected = test.at("expected")[i].get<double>();
      EXPECT_NEAR(fit(signature(test.at("query")[i])), expected, 1e-9 * std::abs(expected));
      histogram.push_back({signature(test.at("query")[i]), test.at("count")[i]});
    }
    const double total = test.at("total"), leverage = test.at("leverage");
    EXPECT_NEAR(fit.total(histogram), total, 1e-9 * total);
    EXPECT_NEAR(fit.leverage(histogram), leverage, 1e-7 * leverage);
  }
}

TEST(CostCurve, AConstantIsConstantEverywhere) {
  const CostCurve curve = measured({20, 35, 36, 90}, [](double) { return 0.25; });
  for (const std::uint32_t length : {0U, 1U, 20U, 30U, 90U, 500U}) EXPECT_EQ(curve(at(length)), 0.25) << length;
  const CostCurve one = measured({20}, [](double) { return 0.25; });
  for (const std::uint32_t length : {0U, 20U, 500U}) EXPECT_EQ(one(at(length)), 0.25) << length;
}

TEST(CostCurve, ALineIsALineInsideAndBeyond) {
  const auto line = [](double s) { return 3 + 0.5 * s; };
  const CostCurve curve = measured({10, 11, 40, 64, 90}, line);
  for (std::uint32_t length = 0; length <= 200; ++length)
    EXPECT_NEAR(curve(at(length)), line(length), 1e-12 * line(length));
}

// The range is 10 to 50: the slope beyond 50 is that from 20, not that from its neighbour 48; below 10, that to 40.
TEST(CostCurve, BeyondThePointsTheSlopeIsThatOfHalfTheRange) {
  const CostCurve curve = measured({10, 12, 20, 40, 48, 50}, [](double s) { return s * s; });
  EXPECT_NEAR(curve(at(60)), 2500 + 10 * 70, 1e-9);
  EXPECT_NEAR(curve(at(9)), 100 - 50, 1e-9);
}

TEST(CostCurve, ACostIsNeverBelowZero) {
  const CostCurve falling = measured({10, 20, 30}, [](double s) { return 40 - s; });
  EXPECT_EQ(falling(at(60)), 0);
  const CostCurve steep = measured({10, 20, 30}, [](double s) { return s * s; });
  EXPECT_EQ(steep(at(2)), 0);
}

TEST(CostCurve, WhatMayBeNegativeIsNotHeldAtZero) {
  const CostCurve curve = measured({10, 20, 30}, [](double s) { return 20 - s; });
  EXPECT_NEAR(curve(at(60)), -40, 1e-12);
}

TEST(CostCurve, ABatchSizeThatAllPointsShareScalesInProportion) {
  const std::vector<PointKey> keys = {{10, {}, 64}, {20, {}, 64}, {40, {}, 64}};
  const CostCurve curve(keys, Values{1, 2, 4});
  EXPECT_DOUBLE_EQ(curve(at(30, 64)), 3);
  EXPECT_DOUBLE_EQ(curve(at(30, 16)), 0.75);
}

TEST(CostCurve, ABatchSizeThatNotAllPointsHaveIsOfNoAccount) {
  const std::vector<PointKey> keys = {{10, {}, 64}, {20, {}, {}}, {40, {}, 32}};
  const CostCurve curve(keys, Values{1, 2, 4});
  EXPECT_DOUBLE_EQ(curve(at(30, 64)), 3);
  EXPECT_DOUBLE_EQ(curve(at(30, 1)), 3);
  EXPECT_EQ(curve.outside(at(30, 1)), 0);
}

TEST(CostCurve, PairsThatCostAsTheFitSaysAreMetEverywhere) {
  const auto cost = [](double s, double t, double b) { return 2 + 0.01 * b * (3 * s + t) + 0.0003 * b * s * t; };
  const CostCurve curve = measured(
      {{5, 9, 32}, {8, 7, 32}, {11, 20, 32}, {15, 12, 32}, {22, 21, 32}, {25, 35, 32}, {31, 24, 32}, {40, 44, 32}},
      cost);
  for (std::uint32_t s = 1; s < 80; s += 7)
    for (std::uint32_t t = 1; t < 80; t += 9)
      EXPECT_NEAR(curve({s, t, 32}), cost(s, t, 32), 1e-9 * cost(s, t, 32)) << s << " " << t;
}

TEST(CostCurve, BatchSizesThatDifferAreFitted) {
  const auto cost = [](double s, double, double b) { return 2 + 0.3 * s + 0.01 * b * s; };
  const CostCurve curve =
      measured({{100, 0, 64}, {200, 0, 32}, {300, 0, 16}, {150, 0, 16}, {250, 0, 64}, {120, 0, 32}}, cost);
  for (const std::uint32_t s : {50U, 180U, 400U})
    for (const std::uint32_t b : {8U, 32U, 100U}) EXPECT_NEAR(curve(at(s, b)), cost(s, 0, b), 1e-9 * cost(s, 0, b));
}

// Two pairs: 1 and s + t carry them exactly, and the third, of the same s + t as the second, is what the fit leaves
// over.
TEST(CostCurve, TheFitIsScaledByItsNearestPoint) {
  const std::vector<PointKey> keys = {{10, 10, 1}, {20, 30, 1}, {30, 20, 1}};
  const CostCurve curve(keys, Values{20, 44, 55});
  for (const PointKey& key : keys) {
    const Signature there{key.src_len, *key.tgt_len, 1};
    EXPECT_NEAR(curve(there), there.src_len == 10 ? 20 : there.src_len == 20 ? 44 : 55, 1e-12);
  }
  // The fit at s + t = 50 is the mean of 44 and 55 weighted by 1/y^2 (1/y over 1/y^2), 48.29; the same scale holds
  // nearby.
  const double fitted = (1 / 44.0 + 1 / 55.0) / (1 / 44.0 / 44 + 1 / 55.0 / 55);
  const double at_48 = 20 + (fitted - 20) * 28 / 30;
  EXPECT_NEAR(curve({19, 29, 1}), at_48 * 44 / fitted, 1e-9);
  EXPECT_NEAR(curve({29, 19, 1}), at_48 * 55 / fitted, 1e-9);
  EXPECT_NEAR(curve({25, 25, 1}), 44, 1e-9) << "a tie goes to the first by key";
}

TEST(CostCurve, EqualKeysAreAveraged) {
  const std::vector<PointKey> keys = {of_length(10), of_length(30), of_length(10), of_length(20)};
  const CostCurve curve(keys, Values{1, 6, 3, 4});
  EXPECT_DOUBLE_EQ(curve(at(10)), 2);
  EXPECT_DOUBLE_EQ(curve(at(25)), 5);
}

TEST(CostCurve, OutsideIsAShareOfTheMeasuredRange) {
  const std::vector<PointKey> keys = {{10, 20, 64}, {30, 60, 64}};
  const CostCurve curve(keys, Values{1, 2});
  EXPECT_EQ(curve.outside({10, 60, 64}), 0);
  EXPECT_EQ(curve.outside({20, 30, 64}), 0);
  EXPECT_DOUBLE_EQ(curve.outside({5, 30, 64}), 0.25);
  EXPECT_DOUBLE_EQ(curve.outside({40, 62, 64}), 0.5);
  EXPECT_DOUBLE_EQ(curve.outside({40, 90, 64}), 0.75);
  EXPECT_DOUBLE_EQ(curve.outside({20, 30, 80}), 0.25) << "of the one batch size measured";
}

TEST(CostCurve, ATotalIsTheSumOverTheHistogram) {
  const CostCurve curve = measured({10, 20, 40}, [](double s) { return 1 + s; });
  const std::vector<SignatureCount> histogram = {{at(15), 3}, {at(40), 2}, {at(50), 1}};
  EXPECT_NEAR(curve.total(histogram), 3 * 16 + 2 * 41 + 51, 1e-9);
  EXPECT_EQ(curve.total({}), 0);
}

TEST(CostCurve, NothingOrNoNumberIsRefused) {
  const std::vector<PointKey> keys = {of_length(10), of_length(20)};
  EXPECT_THROW(CostCurve({}, {}), std::invalid_argument);
  EXPECT_THROW(CostCurve(keys, Values{1}), std::invalid_argument);
  EXPECT_THROW(CostCurve(keys, Values{1, std::numeric_limits<double>::infinity()}), std::invalid_argument);
  EXPECT_THROW(CostCurve(keys, Values{std::nan(""), 1}), std::invalid_argument);
}

}  // namespace
}  // namespace seqpoint
