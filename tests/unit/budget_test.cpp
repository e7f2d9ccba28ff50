// Measurements shared out over points, against every way there is to do so; and budgets as they are typed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "cli/options/shared_options.hpp"
#include "core/select/measurement_plan.hpp"
#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

using RepeatCounts = std::vector<std::uint64_t>;

class Budget : public ::testing::Test {
 protected:
  /// For a budget of measurements.
  static std::optional<RepeatCounts> shared(const std::vector<select::MeasurablePoint>& points, double budget,
                                            const select::ModelConstants& constants = {}) {
    double own = 0;  // warm-up of each point
    for (const select::MeasurablePoint& point : points) own += point.price;
    return select::allocate_measurements(constants, points, {.budget = own + budget, .of_warmup = 0});
  }
};

/// sum of part^2 (iteration^2 / min(r, iterations) + measurement^2 / r).
double variance_left(const std::vector<select::MeasurablePoint>& points, const RepeatCounts& repeats,
                     const select::ModelConstants& constants) {
  double sum = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto r = static_cast<double>(repeats[p]),
               different = static_cast<double>(std::min(repeats[p], points[p].distinct_iterations));
    sum += points[p].cost_share * points[p].cost_share *
           (constants.iteration * constants.iteration / different + constants.measurement * constants.measurement / r);
  }
  return sum;
}

/// The least variance of all ways to measure the points from p on, together `measurements` times.
double least_variance_left(const std::vector<select::MeasurablePoint>& points, const select::ModelConstants& constants,
                           RepeatCounts& repeats, std::size_t p, std::uint64_t measurements) {
  if (p + 1 == points.size()) {
    repeats[p] = measurements;
    return variance_left(points, repeats, constants);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t r = 1; measurements - r >= points.size() - p - 1; ++r) {
    repeats[p] = r;
    least = std::min(least, least_variance_left(points, constants, repeats, p + 1, measurements - r));
  }
  return least;
}

TEST_F(Budget, NoOtherWayToShareMeasurementsOutLeavesLessVariance) {
  std::mt19937 random(7);
  int bounded = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    select::ModelConstants constants;
    constants.iteration = 0.01 * static_cast<double>(1 + random() % 9);
    constants.measurement = 0.01 * static_cast<double>(1 + random() % 9);
    std::vector<select::MeasurablePoint> points(1 + random() % 4);
    for (select::MeasurablePoint& point : points)
      point = {static_cast<double>(1 + random() % 900), 1, 1 + random() % 5};
    const std::uint64_t budget = points.size() + random() % 10;
    const auto repeats = shared(points, static_cast<double>(budget), constants);
    ASSERT_TRUE(repeats);
    std::uint64_t all = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      all += (*repeats)[p];
      bounded += (*repeats)[p] > points[p].distinct_iterations;
    }
    EXPECT_EQ(all, budget);
    RepeatCounts other(points.size(), 1);
    const double least = least_variance_left(points, constants, other, 0, budget);
    EXPECT_NEAR(variance_left(points, *repeats, constants), least, 1e-12 * least);
  }
  EXPECT_GT(bounded, 50) << "points are to be measured more often than they have iterations";
}

TEST_F(Budget, WithinTheBudgetAndWithoutAnythingLeftThatBuysOne) {
  const std::vector<select::MeasurablePoint> points{{10, 1, 4}, {60, 3, 1}, {10, 2, 9}};
  for (double budget = 6; budget < 40; budget += 0.7) {
    const auto repeats = shared(points, budget);
    ASSERT_TRUE(repeats);
    double spent = 0;
    for (std::size_t p = 0; p < points.size(); ++p) spent += points[p].price * static_cast<double>((*repeats)[p]);
    EXPECT_LE(spent, budget * (1 + 1e-9));
    EXPECT_LT(budget - spent, 1);
  }
}

// What a measurement still takes off is part^2 sigma^2 / r^2: sigma counts the iterations' own disturbance only as long
// as there are more of them.
TEST_F(Budget, InProportionToPartTimesNoiseOverTheRootOfThePriceWhereTheBudgetIsLarge) {
  constexpr std::uint64_t kMany = 1'000'000;
  const std::vector<select::MeasurablePoint> points{{10, 1, kMany}, {60, 3, kMany}, {10, 2, kMany}, {40, 1.5, 1}};
  select::ModelConstants constants;
  constants.iteration = 0.04;
  constants.measurement = 0.03;
  const auto repeats = shared(points, 30'000, constants);
  ASSERT_TRUE(repeats);
  const auto wanted = [&](std::size_t p) {
    return points[p].cost_share * (points[p].distinct_iterations > 1 ? 0.05 : 0.03) / std::sqrt(points[p].price);
  };
  for (std::size_t p = 1; p < points.size(); ++p)
    EXPECT_NEAR(static_cast<double>((*repeats)[p]) / static_cast<double>((*repeats)[0]), wanted(p) / wanted(0), 0.01)
        << p;
}

TEST_F(Budget, OfEqualPointsTheFirstAreMeasuredMoreOften) {
  EXPECT_EQ(shared(std::vector<select::MeasurablePoint>(4, {5, 1, 3}), 10), (RepeatCounts{3, 3, 2, 2}));
}

TEST_F(Budget, APointIsMeasuredSoOftenAtMostAndWhatItLeavesGoesToTheOthers) {
  const auto repeats = shared({{1000, 1, 1}, {3, 1, 1}}, 15'000);
  EXPECT_EQ(repeats, (RepeatCounts{select::kMaxRepeats, 5000}));
  EXPECT_EQ(shared({{1000, 1, 1}, {3, 1, 1}}, 1e12), (RepeatCounts{select::kMaxRepeats, select::kMaxRepeats}));
}

TEST_F(Budget, NothingWhereOneEachIsTooMuch) {
  const std::vector<select::MeasurablePoint> points(2, {1, 2, 1});
  EXPECT_FALSE(shared(points, 3.9));
  EXPECT_EQ(shared(points, 4), (RepeatCounts{1, 1}));
  // 0.1 + 0.1 + 0.1 is a rounding more than 0.3.
  EXPECT_EQ(shared(std::vector<select::MeasurablePoint>(3, {1, 0.1, 1}), 0.3), (RepeatCounts{1, 1, 1}));
}

TEST_F(Budget, AsTyped) {
  EXPECT_EQ(cli::options::parse_budget("24").amount, 24);
  EXPECT_FALSE(cli::options::parse_budget("24").seconds);
  EXPECT_EQ(cli::options::parse_budget("1.5min").amount, 90);
  EXPECT_TRUE(cli::options::parse_budget("90s").seconds);
  EXPECT_EQ(cli::options::parse_budget("2h").amount, 7200);
  for (const char* const wrong : {"", "s", "0", "-3", "2.5", "3x", "nan", "inf", "1e400"})
    EXPECT_THROW(cli::options::parse_budget(wrong), UsageError) << wrong;
}

}  // namespace
}  // namespace seqpoint
