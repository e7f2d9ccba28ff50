// What `seqpoint run` decides by values alone.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/measuring/joined_builds.hpp"
#include "core/measuring/turns.hpp"

namespace seqpoint::measuring {
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

/// The ends of all groups of turns that begin together.
std::vector<std::uint64_t> groups_of(std::size_t builds, std::uint64_t parallel, std::uint64_t max_processes) {
  std::vector<std::uint64_t> ends;
  for (std::uint64_t n = 0; n < builds * max_processes; n = ends.back())
    ends.push_back(end_of_together(n, builds, parallel, max_processes));
  return ends;
}

TEST(Turns, RoundsBeginTogetherOrStayTogether) {
  using Ends = std::vector<std::uint64_t>;
  EXPECT_EQ(groups_of(1, 1, 3), (Ends{1, 2, 3}));
  EXPECT_EQ(groups_of(1, 4, 6), (Ends{4, 6})) << "no more than the most processes";
  EXPECT_EQ(groups_of(2, 1, 2), (Ends{1, 2, 3, 4}));
  EXPECT_EQ(groups_of(2, 3, 3), (Ends{2, 4, 6})) << "no part of a round beside a whole one";
  EXPECT_EQ(groups_of(2, 4, 3), (Ends{4, 6}));
  EXPECT_EQ(groups_of(3, 2, 2), (Ends{2, 3, 5, 6})) << "none beside the rest of the round before";
  EXPECT_EQ(end_of_together(1, 2, 8, 6), 2U) << "the rest of a round that was begun";
  EXPECT_EQ(end_of_together(7, 1, 2, 6), 8U) << "one, if there are more than the most already";
  EXPECT_EQ(steps_of_round(3, 1), 3U);
  EXPECT_EQ(steps_of_round(3, 2), 2U);
  EXPECT_EQ(steps_of_round(3, 8), 1U);
}

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

TEST(Stop, OneProcessIsNeverPrecise) {
  Standing one = kTwo;
  one.processes = 1;
  EXPECT_EQ(stop({.max_processes = 2}, one, projection_of(0), {}), Stop::go_on);
  EXPECT_EQ(stop({.max_processes = 1}, one, projection_of(0), {}), Stop::processes);
}

TEST(Stop, TimeEndsAComparisonAfterTwoProcesses) {
  Standing late{.processes = 1, .seconds = 10, .seconds_a_round = 5};
  EXPECT_EQ(out_of({.max_seconds = 14}, late), Stop::time);
  EXPECT_EQ(out_of({.max_seconds = 16}, late), Stop::go_on);
  EXPECT_EQ(out_of({.max_seconds = 14, .gated = true}, late), Stop::go_on);
  late.processes = 2;
  EXPECT_EQ(out_of({.max_seconds = 14, .gated = true}, late), Stop::time);
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

constexpr double kTiny = 1e-12;

/// The sum over the looks of a run from its first process to its last.
std::vector<Look> all_looks(const StopRule& rule, std::vector<Look> looks = {}) {
  for (std::uint64_t n = looks.empty() ? 1 : looks.back().processes + 1; n <= rule.max_processes; ++n)
    if (const auto alpha = alpha_of_look(rule, looks, n, n == rule.max_processes)) looks.push_back({n, *alpha});
  return looks;
}

/// Four looks of a gated run of six processes: 0.5, 0.5, 0.5 and 3.5 %.
TEST(Stop, LooksSpendTheError) {
  const std::vector<Look> looks = all_looks({.max_processes = 6, .gated = true});
  ASSERT_EQ(looks.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(looks[i].alpha, 0.005, kTiny) << i;
  EXPECT_EQ(looks[0].processes, 3U);
  EXPECT_NEAR(looks[3].alpha, 0.035, kTiny);
  EXPECT_TRUE(all_spent(looks));
  EXPECT_NEAR(all_looks({.max_processes = 2, .gated = true}).at(0).alpha, 0.05, kTiny) << "the only one";
}

/// Eighteen looks at 0.5 % would be 9 %: each gets the same.
TEST(Stop, ManyLooksShareTheError) {
  const std::vector<Look> looks = all_looks({.max_processes = 20, .gated = true});
  ASSERT_EQ(looks.size(), 18U);
  for (const Look& look : looks) EXPECT_NEAR(look.alpha, 0.05 / 18, kTiny) << look.processes;
}

/// Without a gate the last look decides nothing, as measuring ends after it anyway; the others may end it too early.
TEST(Stop, PrecisionIsLookedForAtTheSameChance) {
  const std::vector<Look> looks = all_looks({.max_processes = 6});
  ASSERT_EQ(looks.size(), 4U);
  for (const Look& look : looks) EXPECT_NEAR(look.alpha, 0.005, kTiny) << look.processes;
  EXPECT_EQ(looks[0].processes, 2U);
  EXPECT_FALSE(all_spent(looks));
}

TEST(Stop, AResumedRunSpendsWhatIsLeft) {
  // It was killed after two looks: eight more have 0.5 % each, and the last 0.5 % of what is left, 4 %.
  const std::vector<Look> looks = all_looks({.max_processes = 12, .gated = true}, {{3, 0.005}, {4, 0.005}});
  ASSERT_EQ(looks.size(), 10U);
  double all = 0;
  for (const Look& look : looks) all += look.alpha;
  EXPECT_NEAR(all, 0.05, kTiny);
  EXPECT_NEAR(looks[2].alpha, 0.005, kTiny);
  // The same measurements are seen again: that costs nothing, unless it becomes the last look.
  const StopRule six{.max_processes = 6, .gated = true};
  const std::vector<Look> two{{3, 0.005}, {4, 0.004}};
  EXPECT_NEAR(*alpha_of_look(six, two, 4, false), 0.004, kTiny);
  EXPECT_NEAR(*alpha_of_look(six, two, 4, true), 0.045, kTiny);
}

TEST(Stop, WhereNothingIsLeftNothingIsDecided) {
  const StopRule gated{.max_processes = 12, .gated = true};
  const std::vector<Look> spent = all_looks({.max_processes = 6, .gated = true});
  for (const std::uint64_t processes : {7U, 12U})
    EXPECT_EQ(alpha_of_look(gated, spent, processes, processes == 12), 0.0);
  Standing nothing_left = kThree;
  nothing_left.may_decide = false;
  EXPECT_EQ(stop(kGate, nothing_left, comparison(0.001), gates_of(project::Verdict::fail)), Stop::go_on);
  project::Gates gates = gates_of(project::Verdict::fail);
  gates.checks[0].value = 0.1;
  gates.checks[0].bounds = project::Interval{0.05, 0.15};
  gates = without_verdicts(gates, "why");
  EXPECT_EQ(gates.checks[0].verdict, project::Verdict::inconclusive);
  EXPECT_FALSE(gates.checks[0].bounds);
  EXPECT_NE(gates.checks[0].note, "");
}

TEST(Stop, TheLookAtWhichTimeEndsIsTheLast) {
  const StopRule hurried{.max_seconds = 14, .gated = true};
  const project::Gates fail = gates_of(project::Verdict::fail);
  EXPECT_EQ(out_of(hurried, kTwo), Stop::time);
  EXPECT_EQ(stop(hurried, kTwo, comparison(0.001), fail), Stop::decided);
  EXPECT_EQ(stop(hurried, kTwo, comparison(0.001), gates_of(project::Verdict::inconclusive)), Stop::time);
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
}  // namespace seqpoint::measuring
