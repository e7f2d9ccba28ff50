// What shapes cost when a process runs them for the first time, by hand.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/project/projection.hpp"

namespace seqpoint::testing {
namespace {

/// Three points of a run of five shapes and 60 iterations in two epochs.
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
  m.process_names = {"a.csv", "b.csv"};
  m.readings.resize(1);
  for (std::size_t p = 0; p < 3; ++p) {
    const double cost = 2.0 * static_cast<double>(p) + 1;
    m.readings[0].push_back({{cost - 0.1, {}, 0}, {cost, {}, 1}, {cost + 0.1, {}, 0}});
    if (p < first_excess.size()) m.first_executions.push_back({0, p, 0, cost + first_excess[p]});
    if (p < second_excess.size()) m.first_executions.push_back({0, p, 1, cost + second_excess[p]});
  }
  return named;
}

std::optional<project::ColdStart> cold_start_of(const profile::Measurements& measured) {
  return project::cold_start_of(measured, 0, three_points().run);
}

project::Projection projected(const std::vector<project::NamedMeasurements>& all,
                              const project::ProjectParams& params = {}) {
  return project::project(three_points(), all, params);
}

TEST(ColdStart, IsTheMeanOverPointsOfTheMeanOverProcesses) {
  const auto cost = cold_start_of(two_processes("v", {0.4, 2.0, 1.0}, {0.6, 4.0, 1.0}).measurements);  // 0.5, 3, 1
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->seconds_each, 1.5, 1e-12);
  EXPECT_EQ(cost->points, 3U);
  EXPECT_EQ(cost->shapes, 5U);
  EXPECT_NEAR(cost->about(), 7.5, 1e-12);
  EXPECT_NEAR(cost->at_most(), 15, 1e-12);
}

TEST(ColdStart, AFirstExecutionThatIsNotSlowerCostsNothing) {
  EXPECT_NEAR(cold_start_of(two_processes("v", {-0.02, 2, 6}, {}).measurements)->seconds_each, 8.0 / 3, 1e-12);
}

/// ln(0.8), ln(2.9 / 3) and ln(5.3 / 5) are below 0 on average.
TEST(ColdStart, IsOnlyStatedWhereItWasFound) {
  EXPECT_FALSE(cold_start_of(two_processes("v", {-0.2, -0.1, 0.3}, {}).measurements));
  auto named = two_processes("v", {1, 2, 3}, {});
  EXPECT_TRUE(cold_start_of(named.measurements));
  named.measurements.denies_cold_start = true;
  EXPECT_FALSE(cold_start_of(named.measurements));
  EXPECT_FALSE(cold_start_of(two_processes("v", {1}, {}).measurements)) << "one point shows no scatter";
}

/// Gradients are accumulated over four: a row is the mean of four executions, and the first of them alone is new.
TEST(ColdStart, OfSeveralExecutionsInARowOneIsTheFirst) {
  auto named = two_processes("v", {0.1, 0.2, 0.3}, {});
  for (profile::FirstExecution& first : named.measurements.first_executions) first.executions = 4;
  EXPECT_NEAR(cold_start_of(named.measurements)->seconds_each, 0.8, 1e-12);
}

TEST(ColdStart, CountsTheFirstOfAProcessAndOnlyBesideItsOwnMeasurements) {
  auto named = two_processes("v", {1, 1, 1}, {});
  named.measurements.first_executions.push_back({0, 0, 0, 100});  // the plan ran twice in that process
  named.measurements.first_executions.push_back({0, 2, 1, 7});    // in a process of its own that measured it: 2 more
  EXPECT_NEAR(cold_start_of(named.measurements)->seconds_each, (1 + 1 + 1.5) / 3, 1e-12);
  named.measurements.readings[0][2] = {{5, {}, 1}};
  EXPECT_EQ(cold_start_of(named.measurements)->points, 3U);
  EXPECT_TRUE(project::unjoined_points(named.measurements, 0).empty());
  named.measurements.first_executions.pop_back();
  EXPECT_EQ(project::unjoined_points(named.measurements, 0), std::vector<std::size_t>{2});
  const project::Projection projection = projected({named});
  ASSERT_EQ(projection.notes.size(), 1U);
  EXPECT_EQ(projection.notes[0],
            "v: runtime_s: the first executions of sp3 have no measurement in their process beside them, and do not "
            "count");
  EXPECT_EQ(projection.configurations[0].cold_start.at(0).points, 2U);
}

TEST(ColdStart, IsInNoOtherFigure) {
  const project::Projection plain = projected({two_processes("old", {}, {}), two_processes("new", {}, {})}),
                            with = projected({two_processes("old", {2, 2, 2}, {}), two_processes("new", {}, {})});
  for (std::size_t c = 0; c < 2; ++c) {
    const project::ConfigurationProjection &a = plain.configurations[c], &b = with.configurations[c];
    EXPECT_EQ(a.metrics[0].value, b.metrics[0].value);
    EXPECT_EQ(a.metrics[0].interval->high, b.metrics[0].interval->high);
    EXPECT_EQ(a.throughput->samples_per_s, b.throughput->samples_per_s);
    EXPECT_EQ(a.speedups[0].value, b.speedups[0].value);
    EXPECT_EQ(a.speedups[0].interval->low, b.speedups[0].interval->low);
  }
  EXPECT_EQ(with.configurations[0].cold_start.at(0).about(), 10);
  EXPECT_TRUE(with.configurations[1].cold_start.empty());
}

TEST(ColdStart, WhatIsGivenReplacesWhatWasMeasured) {
  project::ProjectParams params;
  params.cold_start_s = 0.1;
  const auto cost = projected({two_processes("v", {2, 2, 2}, {})}, params).configurations[0].cold_start.at(0);
  EXPECT_EQ(cost.points, 0U);
  EXPECT_NEAR(cost.about(), 0.5, 1e-12);
}

TEST(ColdStart, IsAFigureOfItsOwnWhereItIsMuchOfTheTotal) {
  const project::ColdStart cost{.metric = "runtime_s", .seconds_each = 1, .points = 2, .shapes = 3};
  EXPECT_FALSE(project::is_worth_adding(cost, {.name = "runtime_s", .value = 150}));
  EXPECT_TRUE(project::is_worth_adding(cost, {.name = "runtime_s", .value = 149}));
}

TEST(ColdStart, IsOfTimesThatAddUp) {
  auto named = two_processes("v", {1, 1, 1}, {});
  named.measurements.metrics = {"energy_j"};
  EXPECT_TRUE(projected({named}).configurations[0].cold_start.empty());
}

}  // namespace
}  // namespace seqpoint::testing
