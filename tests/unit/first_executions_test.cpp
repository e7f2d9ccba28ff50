// Whether first executions count, and what is measured then.
#include "core/measuring/first_executions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/select/measurement_plan.hpp"
#include "core/select/select.hpp"
#include "varied_run.hpp"

namespace seqpoint::testing {
namespace {

using profile::FirstExecutions;

TEST(FirstExecutions, AreComparedByHand) {
  const auto found = profile::first_executions(std::vector<double>{0.01, 0.03, -0.01, 0.05});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points, 4U);
  EXPECT_NEAR(found->ratio, 0.02, 1e-15);
  EXPECT_NEAR(found->error, std::sqrt(0.0020 / 3 / 4), 1e-15);  // squares 0.0001, 0.0001, 0.0009, 0.0009
  EXPECT_NEAR(found->farthest, 0.03, 1e-15);                    // the median is 0.02
  EXPECT_FALSE(found->is_outlier);
  EXPECT_FALSE(profile::first_executions(std::vector<double>{0.1})) << "one shows no scatter";
}

/// Half of the measurements of the first process, all of the second one's.
TEST(FirstExecutions, AreThreeQuartersOfTwoProcesses) {
  EXPECT_DOUBLE_EQ(measuring::share_of_first(2), 0.75);
  EXPECT_DOUBLE_EQ(measuring::share_of_first(1), 0.5);
}

TEST(FirstExecutions, CountIfTheirBiasIsAQuarterOfAHalfWidth) {
  const auto counts = [](double ratio, double error, double half_width) {
    return measuring::count({.points = 26, .ratio = ratio, .error = error}, 0.75, half_width);
  };
  EXPECT_TRUE(counts(0.005, 0.010, 0.095)) << "0.75 (0.5 + 1.64) % is 1.6 %, a quarter of the half-width 2.4 %";
  EXPECT_TRUE(counts(-0.005, 0.010, 0.095));
  EXPECT_FALSE(counts(0.055, 0.024, 0.095));
  EXPECT_FALSE(counts(0.030, 0.010, 0.095)) << "slower, by more than a quarter";
  EXPECT_TRUE(counts(0.005, 0.030, 0.095)) << "not shown to be slower";
  EXPECT_TRUE(counts(-0.207, 0.050, 0.095)) << "faster, which no cold start is";
}

TEST(FirstExecutions, DoNotCountIfOneOfThemWasCompiled) {
  std::vector<double> logs(40);
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = i % 2 == 0 ? 0.005 : -0.005;
  EXPECT_TRUE(measuring::count(profile::first_executions(logs).value(), 0.75, 0.095));
  logs[7] = 0.3;  // moves the mean by 0.75 %
  EXPECT_FALSE(measuring::count(profile::first_executions(logs).value(), 0.75, 0.095));
  logs[7] = 0.02;  // as far outside, but too small to matter
  EXPECT_TRUE(measuring::count(profile::first_executions(logs).value(), 0.75, 0.095));
}

TEST(FirstExecutions, AreThoseOfAProcessBesideItsLaterOnes) {
  profile::Measurements measured;
  measured.metrics = {"cpu_s", "runtime_s"};
  measured.readings = {{{9.0}, {9.0}, {9.0}, {9.0}}, {{1.0, 3.0}, {4.0}, {5.0}, {}}};
  measured.first_executions = {{1, 0, 0, 4.0}, {1, 1, 0, 4.0},  {1, 2, 0, 2.5},
                               {1, 3, 0, 7.0}, {1, 0, 0, 99.0}, {0, 1, 0, 50.0}};
  const auto found = profile::first_executions(measured, 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points, 3U) << "the fourth has no later one";
  EXPECT_NEAR(found->ratio, (std::log(2.0) + 0 + std::log(0.5)) / 3, 1e-15);
}

// --- what is measured where they count

select::Selection chosen(const trace::Trace& run, std::uint64_t points) {
  select::SelectParams params;
  params.points = points;
  params.between = select::kHostBound;
  select::Selection selection = select::select_with_repeats(run, params, {.processes = 2});
  for (select::Point& point : selection.points) point.repeats = 2;
  selection.method.repeats->measurements = 2 * selection.points.size();
  return selection;
}

select::Selection with_first(const select::Selection& measured, const trace::Trace& run) {
  return select::with_first_executions(measured, run, {.ratio = 0.01, .error = 0.01, .points = 8}, {},
                                       {.processes = 2});
}

TEST(FirstExecutions, BuyTwiceAsManyPointsAtTheSamePrice) {
  const trace::Trace run = varied_run(300);
  const select::Selection measured = chosen(run, 8), all = with_first(measured, run);
  EXPECT_GT(all.points.size(), 12U);
  EXPECT_LE(all.points.size(), 16U);
  std::int64_t weight = 0;
  std::set<std::string> ids;
  for (const select::Point& point : all.points) {
    weight += point.weight.millionths;
    ids.insert(point.id);
  }
  EXPECT_EQ(weight, 300 * select::Weight::kUnit);
  EXPECT_EQ(ids.size(), all.points.size());
  for (const select::Point& point : measured.points) {
    const auto kept = std::ranges::find(all.points, point.id, &select::Point::id);
    ASSERT_NE(kept, all.points.end());
    EXPECT_EQ(kept->shape, point.shape);
    EXPECT_EQ(kept->iterations, point.iterations);
    EXPECT_GT(kept->weight.millionths, 0);
  }
  EXPECT_EQ(all.method.repeats->measurements, 32U);
  const select::Plan before = select::make_plan(measured, {.processes = 2}),
                     after = select::make_plan(all, {.processes = 2});
  const auto of_points = [](const select::ProcessPlan& plan) {
    return std::ranges::count_if(plan, [](const auto& e) { return !e.warmup || e.first; });
  };
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(of_points(before.processes[p]), 16);
    EXPECT_EQ(of_points(after.processes[p]), 16);
    EXPECT_TRUE(std::ranges::none_of(after.processes[p], &select::BatchExecution::first));
  }
}

/// With a V of no more than half of the noise's share in it.
TEST(FirstExecutions, FurtherPointsLowerTheExpectedError) {
  const trace::Trace run = varied_run(300);
  const select::Selection measured = chosen(run, 8), all = with_first(measured, run);
  EXPECT_LT(all.method.repeats->error(), measured.method.repeats->error());
  EXPECT_LT(all.method.repeats->expected.representation, measured.method.repeats->expected.representation);
  EXPECT_LT(all.method.repeats->cost.executions, 1.1 * static_cast<double>(measured.method.repeats->cost.executions));
}

/// Of three shapes, 16 measurements: by weight.
TEST(FirstExecutions, GoByWeightWhereShapesAreFew) {
  trace::Trace run;
  for (std::uint32_t i = 0; i < 90; ++i)
    run.shapes.push_back({.src_len = i < 60 ? 20U : i < 80 ? 40U : 80U, .batch_size = 4});
  select::Selection measured = chosen(run, 3);
  for (select::Point& point : measured.points) point.repeats = 6;
  measured.method.repeats->measurements = 18;
  const select::Selection all = with_first(measured, run);
  ASSERT_EQ(all.points.size(), 3U);
  EXPECT_EQ(all.method.repeats->measurements, 24U) << "18, and 2 x 3 first ones";
  EXPECT_GT(all.points[0].repeats, all.points[2].repeats) << "20 x 60 against 80 x 10";
}

}  // namespace
}  // namespace seqpoint::testing
