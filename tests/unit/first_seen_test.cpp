// What shapes cost when they are new to a process, by hand.
#include "core/project/first_seen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "seqpoint/error.hpp"
#include "seqpoint/project.hpp"

namespace seqpoint::testing {
namespace {

/// Three points of a run of five signatures and 60 iterations in two epochs.
select::Selection three_points() {
  select::Selection selection;
  for (std::uint32_t s = 1; s <= 5; ++s) selection.run.histogram.push_back({{10 * s, 0, 4}, 12});
  selection.run.iterations = 60;
  selection.run.epochs = 2;
  selection.run.samples = 240;
  selection.run.padded_tokens = 12 * 4 * 150;
  for (std::uint32_t p = 0; p < 3; ++p)
    selection.points.push_back(
        {"sp" + std::to_string(p + 1), {20 * p + 10, {}, 4}, {20 * select::Weight::kUnit}, {p}, {}});
  return selection;
}

/// Two processes; each measures every point at 1, 3 and 5 s, the first one twice, 0.1 s more and less.
project::NamedMeasurements two_processes(const std::string& name, const std::vector<double>& first_excess,
                                         const std::vector<double>& second_excess) {
  project::NamedMeasurements named{name, {}};
  profile::Measurements& m = named.measurements;
  m.metrics = {"runtime_s"};
  m.session_names = {"a.csv", "b.csv"};
  m.readings.resize(1);
  for (std::size_t p = 0; p < 3; ++p) {
    const double cost = 2.0 * static_cast<double>(p) + 1;
    m.readings[0].push_back({{cost - 0.1, {}, 0}, {cost, {}, 1}, {cost + 0.1, {}, 0}});
    if (p < first_excess.size()) m.first_executions.push_back({0, p, 0, cost + first_excess[p]});
    if (p < second_excess.size()) m.first_executions.push_back({0, p, 1, cost + second_excess[p]});
  }
  return named;
}

std::optional<project::FirstSeenCost> first_seen_cost(const profile::Measurements& measured) {
  return project::first_seen_cost(measured, 0, three_points().run, 0.95);
}

project::Projection projected(const std::vector<project::NamedMeasurements>& all,
                              std::optional<double> first_seen_s = {}, double per_epoch_s = 0) {
  const select::Selection selection = three_points();
  project::Projection projection = project::project(selection, all, {});
  project::add_overheads(projection, selection.run, per_epoch_s, first_seen_s);
  return projection;
}

TEST(FirstSeen, IsTheMedianOverPointsOfTheMeanOverProcesses) {
  const auto named = two_processes("v", {0.4, 2.0, 1.0}, {0.6, 4.0, 1.0});  // 0.5, 3, 1
  const auto cost = first_seen_cost(named.measurements);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->distant.seconds_each, 1, 1e-12);
  EXPECT_EQ(cost->distant.points, 3U);
  // The least and the most of three hold the median in three cases of four, as 1.15035 standard deviations do.
  EXPECT_NEAR(cost->distant.deviation_each, 2.5 / (2 * 1.1503493803760079), 1e-9);
}

/// The processes are at 2/3 and 4/3 of their mean: a standard deviation of root 2 / 3, of another process root 3/2
/// times that.
TEST(FirstSeen, IsAsUnsureAsProcessesDiffer) {
  const auto cost = first_seen_cost(two_processes("v", {1, 1, 1}, {2, 2, 2}).measurements);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->process_deviation, 1 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(cost->seconds, 5 * 1.5, 1e-12);
  EXPECT_NEAR(cost->half_width, 1.959963984540054 * 7.5 / std::sqrt(3.0), 1e-9);
  EXPECT_EQ(first_seen_cost(two_processes("v", {1, 2, 1}, {}).measurements)->process_deviation, 0) << "of one process";
}

/// Price and Bonett's c of 8 is 2, of 14 it is 4; the probabilities are sums of binomial coefficients over 2^n.
TEST(FirstSeen, TheDeviationOfTheMedianIsThatOfTwoOfTheValues) {
  for (const auto& [n, c, quantile] : {std::tuple(8, 2, 1.8098922384806091), std::tuple(14, 4, 1.9004579604665492),
                                       std::tuple(2, 1, 0.6744897501960817)}) {
    profile::Measurements m;
    m.metrics = {"runtime_s"};
    m.readings.resize(1);
    m.session_names = {"a.csv"};
    for (int p = 0; p < n; ++p) {
      m.readings[0].push_back({1});
      m.first_executions.push_back({0, static_cast<std::size_t>(p), 0, 1 + std::pow(2.0, p)});
    }
    const auto cost = first_seen_cost(m);
    ASSERT_TRUE(cost);
    EXPECT_NEAR(cost->distant.deviation_each, (std::pow(2.0, n - c) - std::pow(2.0, c - 1)) / (2 * quantile), 1e-6);
  }
}

/// What follows a near shape, in the second process, is apart: 3 of 5 signatures cost the mean of the first process's,
/// and 2 that of the second's.
project::NamedMeasurements near_in_the_second() {
  auto named = two_processes("v", {0.4, 2.0, 0.9}, {0.1, 0.5, 0});
  for (profile::FirstExecution& first : named.measurements.first_executions) first.near = first.session == 1;
  return named;
}

TEST(FirstSeen, ShapesThatANearOneRanBeforeCostWhatTheyDoThen) {
  const auto cost = first_seen_cost(near_in_the_second().measurements);
  ASSERT_TRUE(cost && cost->near);
  EXPECT_NEAR(cost->distant.seconds_each, 1.1, 1e-12);
  EXPECT_EQ(cost->distant.shapes, 3U);
  EXPECT_NEAR(cost->near->seconds_each, 0.2, 1e-12);
  EXPECT_EQ(cost->near->shapes, 2U);
  EXPECT_NEAR(cost->seconds, 3 * 1.1 + 2 * 0.2, 1e-12);
  EXPECT_NEAR(cost->distant.deviation_each, std::sqrt((0.49 + 0.81 + 0.04) / 2 / 3), 1e-12);
  // Three values, and one more half of 1.1 from their mean.
  EXPECT_NEAR(cost->near->deviation_each, std::sqrt((0.01 + 0.09 + 0.04 + 0.55 * 0.55) / 3 / 3), 1e-12);
  EXPECT_NEAR(cost->half_width,
              1.959963984540054 * std::hypot(3 * cost->distant.deviation_each, 2 * cost->near->deviation_each), 1e-9);
}

/// A run of fewer shapes than points has no others.
TEST(FirstSeen, NoMoreShapesAreDistantThanTheRunHas) {
  trace::RunSummary run = three_points().run;
  run.histogram.resize(2);
  const auto cost = project::first_seen_cost(near_in_the_second().measurements, 0, run, 0.95);
  ASSERT_TRUE(cost && cost->near);
  EXPECT_NEAR(cost->seconds, 2 * 1.1, 1e-12);
  EXPECT_EQ(cost->near->shapes, 0U);
}

/// One near point that cost nothing says little.
TEST(FirstSeen, OneNearPointLeavesTheOthersUnsure) {
  auto named = two_processes("v", {0.4, 2.0, 0.9}, {0});
  named.measurements.first_executions[1].near = true;  // of the first point, in the second process
  const auto cost = first_seen_cost(named.measurements);
  ASSERT_TRUE(cost && cost->near);
  EXPECT_NEAR(cost->seconds, 3 * 1.1, 1e-12);
  EXPECT_NEAR(cost->near->deviation_each, 0.55, 1e-12);
}

/// Where every point has a near shape before it, what shapes cost without is not known: few may pay all, so that the
/// sum takes the mean, over all points.
TEST(FirstSeen, NearPointsAloneTellTheirMean) {
  auto named = two_processes("v", {0.4, 2.0, 0.9}, {});
  for (profile::FirstExecution& first : named.measurements.first_executions) first.near = true;
  for (const bool one_distant : {false, true}) {
    named.measurements.first_executions.front().near = !one_distant;
    const auto cost = first_seen_cost(named.measurements);
    ASSERT_TRUE(cost && cost->near);
    EXPECT_EQ(cost->distant.points, 0U);
    EXPECT_EQ(cost->near->points, 3U);
    EXPECT_NEAR(cost->seconds, 5 * 1.1, 1e-12);
    EXPECT_NEAR(cost->near->deviation_each, std::sqrt((0.49 + 0.81 + 0.04) / 2 / 3), 1e-12);
  }
}

/// Gradients are accumulated over four: a row is the mean of four executions, and the first of them alone is new.
TEST(FirstSeen, OfSeveralExecutionsInARowOneIsTheFirst) {
  auto named = two_processes("v", {0.1, 0.2, 0.3}, {});
  for (profile::FirstExecution& first : named.measurements.first_executions) first.executions = 4;
  EXPECT_NEAR(first_seen_cost(named.measurements)->distant.seconds_each, 0.8, 1e-12);
}

TEST(FirstSeen, CountsTheFirstOfAProcessAndOnlyBesideItsOwnMeasurements) {
  auto named = two_processes("v", {1, 1, 1}, {});
  named.measurements.first_executions.push_back({0, 0, 0, 100});  // the plan ran twice in that process
  named.measurements.first_executions.push_back({0, 2, 1, 7});    // in a process of its own that measured it: 2 more
  EXPECT_NEAR(first_seen_cost(named.measurements)->distant.seconds_each, 1, 1e-12);
  named.measurements.readings[0][2] = {{5, {}, 1}};
  EXPECT_TRUE(project::unjoined_points(named.measurements, 0).empty());
  named.measurements.first_executions.pop_back();
  EXPECT_EQ(project::unjoined_points(named.measurements, 0), std::vector<std::size_t>{2});
  const project::Projection projection = projected({named});
  ASSERT_EQ(projection.notes.size(), 1U);
  EXPECT_EQ(projection.notes[0],
            "v: runtime_s: the first executions of sp3 have no measurement in their process beside them, and do not "
            "count");
  EXPECT_EQ(projection.configurations[0].first_seen.at(0).distant.points, 2U);
}

TEST(FirstSeen, IsInTotalsThroughputAndSpeedupsOfBothSides) {
  const std::vector<project::NamedMeasurements> all{two_processes("old", {2, 2, 2}, {}),
                                                    two_processes("new", {0.5, 0.5, 0.5}, {})};
  const project::Projection plain = project::project(three_points(), all, {}), with = projected(all);
  const project::MetricProjection &before = plain.configurations[1].metrics[0],
                                  &after = with.configurations[1].metrics[0];
  EXPECT_NEAR(after.value, before.value + 5 * 0.5, 1e-9);
  EXPECT_NEAR(*after.per_epoch, after.value / 2, 1e-9);
  EXPECT_NEAR(with.configurations[1].throughput->samples_per_s, 240 / after.value, 1e-9);
  EXPECT_NEAR(with.configurations[1].speedups[0].value, (before.value + 10) / (before.value + 2.5), 1e-9);
  EXPECT_DOUBLE_EQ(with.configurations[0].speedups[0].value, 1);
  EXPECT_TRUE(with.notes.empty());
}

TEST(FirstSeen, SquaresOfHalfWidthsAddUp) {
  const std::vector<project::NamedMeasurements> all{two_processes("old", {1, 2, 4}, {}),
                                                    two_processes("new", {2, 3, 4}, {})};
  const project::Projection plain = project::project(three_points(), all, {}), with = projected(all);
  const auto half = [](const project::MetricProjection& m) { return m.interval->high - m.value; };
  const double of_old = 5 * 3 / (2 * 1.1503493803760079) * 1.959963984540054,
               of_new = 5 * 2 / (2 * 1.1503493803760079) * 1.959963984540054;
  const project::MetricProjection &old = with.configurations[0].metrics[0], &now = with.configurations[1].metrics[0];
  ASSERT_TRUE(old.interval);
  EXPECT_NEAR(half(old), std::hypot(half(plain.configurations[0].metrics[0]), of_old), 1e-8);
  EXPECT_NEAR(half(now), std::hypot(half(plain.configurations[1].metrics[0]), of_new), 1e-8);
  EXPECT_NEAR(with.configurations[1].first_seen[0].half_width, of_new, 1e-8);
  const project::Speedup& speedup = with.configurations[1].speedups[0];
  ASSERT_TRUE(speedup.interval);
  const double least = std::hypot(of_old / old.value, of_new / now.value);
  EXPECT_GT(std::log(speedup.interval->high / speedup.value), least);
  EXPECT_GT(std::log(speedup.value / speedup.interval->low), least);
}

TEST(FirstSeen, BelowZeroIsZeroAndAsUnsure) {
  const auto named = two_processes("v", {-0.2, -0.1, 0.3}, {});
  const auto cost = first_seen_cost(named.measurements);
  EXPECT_EQ(cost->distant.seconds_each, 0);
  EXPECT_NEAR(cost->distant.deviation_each, 0.5 / (2 * 1.1503493803760079), 1e-9);
}

TEST(FirstSeen, WhatIsGivenReplacesWhatWasMeasured) {
  const auto named = two_processes("v", {2, 2, 2}, {});
  const double iterations = project::project(three_points(), std::vector{named}, {}).configurations[0].metrics[0].value;
  EXPECT_NEAR(projected({named}, 0.1).configurations[0].metrics[0].value, iterations + 0.5, 1e-9);
  EXPECT_NEAR(projected({named}, 0.0).configurations[0].metrics[0].value, iterations, 1e-9);
  EXPECT_TRUE(projected({named}, 0.0).configurations[0].first_seen.empty());
  EXPECT_NEAR(projected({named}, {}, 3).configurations[0].metrics[0].value, iterations + 10 + 6, 1e-9);
}

TEST(FirstSeen, OfOneSideOnlyIsInNeither) {
  const std::vector<project::NamedMeasurements> all{two_processes("old", {}, {}), two_processes("new", {1, 1, 1}, {})};
  const project::Projection with = projected(all);
  EXPECT_DOUBLE_EQ(with.configurations[1].metrics[0].value,
                   project::project(three_points(), all, {}).configurations[1].metrics[0].value);
  ASSERT_EQ(with.notes.size(), 1U);
  EXPECT_EQ(with.notes[0].find("runtime_s: first executions were measured for new and not for old"), 0U);
}

TEST(FirstSeen, ToldOtherwiseOnOneSideIsInNeither) {
  const std::vector<project::NamedMeasurements> all{two_processes("old", {0.4, 2.0, 0.9}, {0.1, 0.5, 0}),
                                                    near_in_the_second()};
  const project::Projection with = projected(all);
  EXPECT_DOUBLE_EQ(with.configurations[1].metrics[0].value,
                   project::project(three_points(), all, {}).configurations[1].metrics[0].value);
  ASSERT_EQ(with.notes.size(), 1U);
  EXPECT_NE(with.notes[0].find("for old and otherwise, behind other shapes or rows without lengths, for v: "),
            std::string::npos);
  EXPECT_TRUE(projected({near_in_the_second(), near_in_the_second()}).notes.empty());
}

TEST(FirstSeen, OfOnePointIsNotKnown) { EXPECT_FALSE(first_seen_cost(two_processes("v", {1}, {}).measurements)); }

TEST(FirstSeen, IsOfTimesThatAddUp) {
  auto named = two_processes("v", {1, 1, 1}, {});
  named.measurements.metrics = {"energy_j"};
  EXPECT_TRUE(projected({named}).configurations[0].first_seen.empty());
}

}  // namespace
}  // namespace seqpoint::testing
