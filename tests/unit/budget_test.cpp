// Neyman's allocation against every allocation there is, and budgets as they are typed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "seqpoint/error.hpp"
#include "seqpoint/repeats.hpp"

namespace {

using seqpoint::allocate_repeats;
using seqpoint::parse_budget;
using seqpoint::relative_noise;

/// The least noise of all allocations of `budget` iterations to the points from p on.
double least_noise(const std::vector<double>& weights, const std::vector<double>& costs, std::vector<std::uint64_t>& repeats,
                   std::size_t p, std::uint64_t budget) {
  if (p + 1 == weights.size()) {
    repeats[p] = budget;
    return relative_noise(weights, costs, repeats);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t r = 1; budget - r >= weights.size() - p - 1; ++r) {
    repeats[p] = r;
    least = std::min(least, least_noise(weights, costs, repeats, p + 1, budget - r));
  }
  return least;
}

TEST(RepeatsAllocation, NoOtherAllocationOfIterationsIsLessNoisy) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> weights, costs, prices;
    const std::size_t points = 1 + random() % 4;
    for (std::size_t p = 0; p < points; ++p) {
      weights.push_back(static_cast<double>(1 + random() % 100));
      costs.push_back(static_cast<double>(1 + random() % 9));
      prices.push_back(1);
    }
    const std::uint64_t budget = points + random() % 9;
    const auto repeats = allocate_repeats(weights, costs, prices, static_cast<double>(budget));
    ASSERT_TRUE(repeats);
    std::vector<std::uint64_t> other(points, 1);
    EXPECT_NEAR(relative_noise(weights, costs, *repeats), least_noise(weights, costs, other, 0, budget), 1e-12) << round;
  }
}

TEST(RepeatsAllocation, WithinTheBudgetAndWithoutAnythingLeftThatBuysOne) {
  const std::vector<double> weights{10, 20, 5}, costs{1, 3, 2}, prices{1, 3, 2};
  for (double budget = 6; budget < 40; budget += 0.7) {
    const auto repeats = allocate_repeats(weights, costs, prices, budget);
    ASSERT_TRUE(repeats);
    double spent = 0;
    for (std::size_t p = 0; p < prices.size(); ++p) spent += prices[p] * static_cast<double>((*repeats)[p]);
    EXPECT_LE(spent, budget * (1 + 1e-9));
    EXPECT_LT(budget - spent, 1);
  }
}

TEST(RepeatsAllocation, InProportionToWeightTimesCostOverTheRootOfThePriceWhereTheBudgetIsLarge) {
  const std::vector<double> weights{10, 20, 5}, costs{1, 3, 2}, prices{1, 3, 2};
  const auto repeats = allocate_repeats(weights, costs, prices, 30'000);
  ASSERT_TRUE(repeats);
  const auto wanted = [&](std::size_t p) { return weights[p] * costs[p] / std::sqrt(prices[p]); };
  for (std::size_t p = 1; p < 3; ++p)
    EXPECT_NEAR(static_cast<double>((*repeats)[p]) / static_cast<double>((*repeats)[0]), wanted(p) / wanted(0), 0.01);
}

TEST(RepeatsAllocation, NothingWhereOneEachIsTooMuch) {
  EXPECT_FALSE(allocate_repeats(std::vector<double>{1, 1}, std::vector<double>{1, 1}, std::vector<double>{2, 2}, 3.9));
}

TEST(RepeatsAllocation, BudgetsAsTyped) {
  EXPECT_EQ(parse_budget("24").amount, 24);
  EXPECT_FALSE(parse_budget("24").seconds);
  EXPECT_EQ(parse_budget("1.5min").amount, 90);
  EXPECT_TRUE(parse_budget("90s").seconds);
  EXPECT_EQ(parse_budget("2h").amount, 7200);
  for (const char* const wrong : {"", "s", "0", "-3", "2.5", "3x", "nan", "inf", "1e400"})
    EXPECT_THROW(parse_budget(wrong), seqpoint::UsageError) << wrong;
}

}  // namespace
