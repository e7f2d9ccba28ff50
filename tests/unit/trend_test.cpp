// Costs that grow along a run: how often random order shows a trend, and which runs show one.
#include "core/findings/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "property/draw.hpp"

namespace seqpoint {
namespace {

using findings::OrderedTime;
using findings::trend_of;
using testing::Draw;

/// Times of one shape.
std::vector<OrderedTime> of_one_shape(const std::vector<double>& seconds) {
  std::vector<OrderedTime> times;
  for (const double value : seconds) times.push_back({0, 512, value});
  return times;
}

TEST(TrendOfARun, OfOneShapeIsSpearmansCorrelationWithTheOrder) {
  const std::vector<double> seconds{9, 9, 3, 1, 4, 8, 5, 6, 7, 2.5, 9, 10, 12, 11, 13, 14, 15, 16, 17, 18};
  const std::size_t n = seconds.size() - 2;  // the first tenth is left out
  double squares = 0;                        // of the differences of ranks, by the textbook's formula
  for (std::size_t i = 0; i < n; ++i) {
    const auto below = std::count_if(seconds.begin() + 2, seconds.end(), [&](double s) { return s < seconds[i + 2]; });
    squares += std::pow(static_cast<double>(below) - static_cast<double>(i), 2);
  }
  const auto m = static_cast<double>(n);
  const double rho = 1 - 6 * squares / (m * (m * m - 1));
  const auto trend = trend_of(of_one_shape(seconds));
  ASSERT_TRUE(trend);
  EXPECT_NEAR(trend->probability, std::erfc(rho * std::sqrt(m - 1) / std::numbers::sqrt2), 1e-9);
  EXPECT_GT(trend->change, 1);
}

TEST(TrendOfARun, IsAsRareInShuffledTimesAsItsLevelSays) {
  constexpr std::size_t kDraws = 20000;
  for (const std::size_t iterations : {12U, 30U, 80U}) {
    std::size_t found = 0;
    Draw draw(static_cast<std::uint32_t>(iterations));
    for (std::size_t d = 0; d < kDraws; ++d) {
      std::vector<double> seconds;  // skewed, and now and then slow
      for (std::size_t i = 0; i < iterations; ++i)
        seconds.push_back(std::exp(0.3 * draw.normal()) * (draw.below(20) == 0 ? 4 : 1));
      found += trend_of(of_one_shape(seconds)) ? 1 : 0;
    }
    // Twice the level is above what as many draws show by chance: 20 with a standard deviation of 4.5.
    EXPECT_LE(found, static_cast<std::size_t>(2 * findings::kFalseTrends * kDraws)) << iterations;
  }
}

/// A run of shapes that come once or often, whose costs are no straight line; `growth` from the first to the last.
std::vector<OrderedTime> of_many_shapes(Draw& draw, std::size_t iterations, std::size_t shapes, double growth) {
  std::vector<OrderedTime> times;
  for (std::size_t i = 0; i < iterations; ++i) {
    const std::size_t length = 1 + draw.below(shapes);
    const double steps = std::ceil(static_cast<double>(length) / 16),
                 along = static_cast<double>(i) / static_cast<double>(iterations);
    times.push_back({length, static_cast<double>(length),
                     (0.1 + 0.01 * steps + 1e-5 * static_cast<double>(length * length)) * (1 + growth * along) *
                         std::exp(0.02 * draw.normal())});
  }
  return times;
}

TEST(TrendOfARun, IsAsRareWhereLengthsDiffer) {
  constexpr std::size_t kDraws = 4000;
  for (const std::size_t shapes : {5U, 50U, 5000U}) {
    std::size_t found = 0;
    Draw draw(static_cast<std::uint32_t>(shapes));
    for (std::size_t d = 0; d < kDraws; ++d) found += trend_of(of_many_shapes(draw, 60, shapes, 0)) ? 1 : 0;
    EXPECT_LE(found, static_cast<std::size_t>(3 * findings::kFalseTrends * kDraws)) << shapes;
  }
}

TEST(TrendOfARun, IsFoundWhateverTheLengths) {
  for (const std::size_t shapes : {1U, 5U, 50U, 5000U}) {
    Draw draw(static_cast<std::uint32_t>(shapes));
    for (int d = 0; d < 50; ++d) {
      const auto trend = trend_of(of_many_shapes(draw, 200, shapes, 0.5));
      ASSERT_TRUE(trend) << shapes;
      EXPECT_NEAR(trend->change, 0.5, 0.1) << shapes;
    }
  }
}

TEST(TrendOfARun, FallsOnlyWhereItFallsInBothHalves) {
  std::vector<double> seconds;
  for (int i = 0; i < 200; ++i) seconds.push_back((i < 60 ? 2.0 - i / 60.0 : 1.0) * (1 + 0.01 * (i * 37 % 10)));
  EXPECT_FALSE(trend_of(of_one_shape(seconds))) << "a slow start";
  for (int i = 0; i < 200; ++i) seconds[i] = (2.0 - i / 200.0) * (1 + 0.01 * (i * 37 % 10));
  const auto trend = trend_of(of_one_shape(seconds));
  ASSERT_TRUE(trend);
  EXPECT_LT(trend->change, -0.4);
}

TEST(TrendOfARun, IsNoSlowFirstIterationNorGrowingLengths) {
  Draw draw(7);
  for (int d = 0; d < 500; ++d) {
    std::vector<double> seconds{300};
    for (int i = 1; i < 40; ++i) seconds.push_back(20 + 0.1 * draw.normal());
    ASSERT_FALSE(trend_of(of_one_shape(seconds)));
  }
  std::vector<OrderedTime> sorted;
  for (std::size_t i = 1; i <= 200; ++i)
    sorted.push_back({i, static_cast<double>(i), 0.1 + 1e-4 * static_cast<double>(i * i)});
  EXPECT_FALSE(trend_of(sorted)) << "where order goes with size nothing tells one from the other";
  std::reverse(sorted.begin(), sorted.end());
  EXPECT_FALSE(trend_of(sorted));
}

TEST(TrendOfARun, OfChangesThatDecideNothingIsNone) {
  std::vector<double> seconds;
  for (int i = 0; i < 300; ++i) seconds.push_back(1 + 0.04 * i / 300.0 + 0.001 * (i * 37 % 10));
  EXPECT_FALSE(trend_of(of_one_shape(seconds)));
  std::vector<double> few(seconds.begin(), seconds.begin() + 10);
  EXPECT_FALSE(trend_of(of_one_shape(few)));
}

}  // namespace
}  // namespace seqpoint
