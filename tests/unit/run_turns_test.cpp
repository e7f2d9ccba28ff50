// What `seqpoint run` decides by values alone.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/run/joined_builds.hpp"
#include "core/run/turns.hpp"

namespace seqpoint::run {
namespace {

project::ConfigurationProjection configuration_of(const std::string& name, double value, double half_share) {
  project::ConfigurationProjection c;
  c.name = name;
  c.metrics.push_back({.name = "runtime_s",
                       .value = value,
                       .interval = project::Interval{value * (1 - half_share), value * (1 + half_share)}});
  return c;
}

project::Projection projection_of(double half_share) {
  project::Projection projection;
  projection.configurations.push_back(configuration_of("run", 100, half_share));
  return projection;
}

/// Two builds, of which the second is known to be so much slower, with such an interval of the ratio.
project::Projection comparison(double half_share) {
  project::Projection projection;
  projection.baseline = "old";
  projection.configurations = {configuration_of("old", 100, 0.3), configuration_of("new", 100, 0.3)};
  projection.configurations[1].speedups.push_back(
      {.metric = "runtime_s", .value = 1, .interval = project::Interval{1 - half_share, 1 + half_share}});
  return projection;
}

project::Gates gates_of(project::Verdict verdict) {
  project::Gates gates;
  gates.checks.push_back({});
  gates.checks.back().verdict = verdict;
  return gates;
}

const Standing kTwo{.processes = 2, .seconds = 10, .seconds_a_round = 5};
const Standing kThree{.processes = 3, .seconds = 15, .seconds_a_round = 5};
const StopRule kGate{.gated = true};

TEST(Turns, BuildsTakeThemForthAndBack) {
  std::string names, numbers;
  for (std::uint64_t n = 0; n < 8; ++n) {
    names += "AB"[turn(n, 2).build];
    numbers += std::to_string(turn(n, 2).process);
  }
  EXPECT_EQ(names, "ABBAABBA");
  EXPECT_EQ(numbers, "11223344");
  EXPECT_EQ(turn(5, 1).build, 0U);
  EXPECT_EQ(turn(5, 1).process, 6U);
  EXPECT_EQ(turn(3, 3).build, 2U);
}

/// Each build measures as early as the others on average, whatever drifts with time.
TEST(Turns, NoBuildIsEarlier) {
  for (const std::size_t builds : {2U, 3U, 5U}) {
    std::vector<std::uint64_t> sums(builds);
    for (std::uint64_t n = 0; n < 2 * builds; ++n) sums[turn(n, builds).build] += n;
    for (const std::uint64_t sum : sums) EXPECT_EQ(sum, sums.front());
  }
}

TEST(Stop, OneProcessIsNeverEnough) {
  Standing one = kTwo;
  one.processes = 1;
  EXPECT_EQ(stop({.max_processes = 2}, one, projection_of(0), {}), Stop::go_on);
}

TEST(Stop, OneBuildStopsAtItsPrecision) {
  EXPECT_EQ(stop({.precision = 0.02}, kTwo, projection_of(0.019), {}), Stop::precise);
  EXPECT_EQ(stop({.precision = 0.02}, kTwo, projection_of(0.021), {}), Stop::go_on);
}

TEST(Stop, BuildsStopWhereTheirRatioIsKnown) {
  EXPECT_EQ(stop({.precision = 0.02}, kTwo, comparison(0.019), {}), Stop::precise);
  EXPECT_EQ(stop({.precision = 0.02}, kTwo, comparison(0.021), {}), Stop::go_on);
}

TEST(Stop, ALimitIsDecidedWhateverThePrecision) {
  EXPECT_EQ(stop(kGate, kThree, comparison(0.2), gates_of(project::Verdict::unmeasured)), Stop::decided);
  EXPECT_EQ(stop(kGate, kThree, comparison(0.001), gates_of(project::Verdict::inconclusive)), Stop::go_on);
  EXPECT_EQ(stop(kGate, kThree, comparison(0.001), gates_of(project::Verdict::unmatched)), Stop::go_on);
}

TEST(Stop, TwoProcessesOfABuildDecideALimitOnlyWhereThereAreNoMore) {
  const project::Gates fail = gates_of(project::Verdict::fail);
  EXPECT_EQ(stop(kGate, kTwo, comparison(0.001), fail), Stop::go_on);
  EXPECT_EQ(stop({.max_processes = 2, .gated = true}, kTwo, comparison(0.001), fail), Stop::decided);
}

TEST(Stop, NothingIsDecidedWhileProcessesDisagree) {
  Standing disturbed = kThree;
  disturbed.disagree = true;
  const project::Gates pass = gates_of(project::Verdict::pass);
  EXPECT_EQ(stop({}, disturbed, projection_of(0.001), {}), Stop::go_on);
  EXPECT_EQ(stop(kGate, disturbed, comparison(0.001), pass), Stop::go_on);
  EXPECT_EQ(stop({.max_processes = 3, .gated = true}, disturbed, comparison(0.001), pass), Stop::processes);
}

/// Five looks, at two to six processes, share 5 %, with a limit four; the last has the confidence of the result.
TEST(Stop, LooksShareTheError) {
  const StopRule six{.max_processes = 6};
  for (const std::uint64_t processes : {2U, 3U, 5U}) EXPECT_DOUBLE_EQ(confidence_of_look(six, processes), 0.99);
  EXPECT_DOUBLE_EQ(confidence_of_look({.max_processes = 6, .gated = true}, 3), 0.9875);
  EXPECT_DOUBLE_EQ(confidence_of_look({.max_processes = 2, .gated = true}, 1), 0.95) << "it decides nothing";
  EXPECT_DOUBLE_EQ(confidence_of_look(six, 6), 0.95);
  EXPECT_DOUBLE_EQ(confidence_of_look(six, 7), 0.95);
  EXPECT_DOUBLE_EQ(confidence_of_look({.max_processes = 2}, 2), 0.95);
  EXPECT_DOUBLE_EQ(confidence_of_look({.max_processes = 3}, 2), 0.975);
}

TEST(Stop, ProcessesAndTimeAreLimited) {
  EXPECT_EQ(stop({.max_processes = 2}, kTwo, projection_of(0.5), {}), Stop::processes);
  EXPECT_EQ(stop({.max_seconds = 14}, kTwo, projection_of(0.5), {}), Stop::time);
  EXPECT_EQ(stop({.max_seconds = 15}, kTwo, projection_of(0.5), {}), Stop::go_on);
}

TEST(Stop, WithoutAnIntervalNothingIsPrecise) {
  project::Projection none = projection_of(0);
  none.configurations[0].metrics[0].interval = project::NoInterval::one_point;
  EXPECT_TRUE(std::isinf(project::relative_half_width(1, none.configurations[0].metrics[0].interval)));
  EXPECT_EQ(stop({}, kTwo, none, {}), Stop::go_on);
}

TEST(Stop, TheWiderSideCounts) {
  EXPECT_DOUBLE_EQ(project::relative_half_width(100, project::Interval{99, 104}), 0.04);
}

TEST(Epoch, ItsMostFrequentShape) {
  trace::RunSummary run;
  EXPECT_EQ(most_common_share(run), 0);
  run.iterations = 10;
  run.histogram = {{{}, 3}, {{}, 7}};
  EXPECT_DOUBLE_EQ(most_common_share(run), 0.7);
}

TEST(Joined, ComparesWithTheFirst) {
  const std::vector<project::Projection> builds{projection_of(0.03), projection_of(0.04)};
  project::Projection all = joined(builds);
  ASSERT_EQ(all.configurations.size(), 2U);
  EXPECT_TRUE(all.configurations[0].speedups.empty());
  const project::Speedup& speedup = all.configurations[1].speedups.at(0);
  EXPECT_DOUBLE_EQ(speedup.value, 1);
  ASSERT_TRUE(speedup.interval);  // widths of independent figures add up as the root of their squares
  EXPECT_NEAR(speedup.interval->high, 1.05, 0.002);
  EXPECT_NEAR(speedup.interval->low, 0.95, 0.002);
}

TEST(Joined, WithoutAnIntervalThereIsNone) {
  std::vector<project::Projection> builds{projection_of(0.03), projection_of(0.04)};
  builds[1].configurations[0].metrics[0].interval = project::NoInterval::one_point;
  EXPECT_FALSE(joined(builds).configurations[1].speedups.at(0).interval);
}

}  // namespace
}  // namespace seqpoint::run
