// Limits against hand-made figures and intervals: a limit of 5 % is a speedup of 1 / 1.05 = 0.95238...
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/project/projection.hpp"
#include "io/views/ci.hpp"

namespace seqpoint::testing {
namespace {

constexpr double kLimit = 0.05;
const std::string kWhy = "one repeat only";

project::Interval exactly(double value) { return {value, value}; }

project::MetricProjection total(const std::string& name, double value, const project::IntervalOrReason& interval) {
  project::MetricProjection metric;
  metric.name = name;
  metric.value = value;
  metric.interval = interval;
  return metric;
}

project::MetricProjection total(const std::string& name, double value) { return total(name, value, exactly(value)); }

project::Speedup speedup(const std::string& metric, double value, const project::IntervalOrReason& interval) {
  return {metric, value, interval};
}
project::Speedup speedup(const std::string& metric, double value) { return speedup(metric, value, exactly(value)); }

project::ConfigurationProjection configuration(const std::string& name, std::vector<project::MetricProjection> metrics,
                                               std::vector<project::Speedup> speedups = {}) {
  project::ConfigurationProjection c;
  c.name = name;
  c.metrics = std::move(metrics);
  c.speedups = std::move(speedups);
  return c;
}

project::Projection projection(std::vector<project::ConfigurationProjection> configurations) {
  project::Projection p;
  p.baseline = configurations.front().name;
  p.configurations = std::move(configurations);
  return p;
}

/// "configuration metric verdict", a check each.
std::vector<std::string> told(const std::vector<project::Check>& checks) {
  const char* const names[] = {"pass", "fail", "inconclusive", "unmeasured", "unmatched"};
  std::vector<std::string> lines;
  for (const project::Check& c : checks)
    lines.push_back(c.configuration + " " + c.metric + " " + names[static_cast<int>(c.verdict)]);
  return lines;
}
using Told = std::vector<std::string>;

project::Verdict verdict(double value, const project::IntervalOrReason& interval, double limit = kLimit) {
  return project::check_speedup(value, interval, limit).verdict;
}

TEST(Gate, ARegressionIsAboveTheLimitByItsInterval) {
  using project::Verdict;
  EXPECT_EQ(verdict(0.80, project::Interval{0.78, 0.82}), Verdict::fail);          // 22 to 28 % more
  EXPECT_EQ(verdict(0.90, project::Interval{0.85, 0.96}), Verdict::fail);          // 11 % more, at least 4 %
  EXPECT_EQ(verdict(0.90, project::Interval{0.80, 1.01}), Verdict::inconclusive);  // that may be none
  EXPECT_EQ(verdict(1.25, project::Interval{1.20, 1.30}), Verdict::pass);          // less
  EXPECT_EQ(verdict(1.00, project::Interval{0.99, 1.01}), Verdict::pass);          // the same, within 1 %
  EXPECT_EQ(verdict(0.97, project::Interval{0.96, 0.98}), Verdict::pass);          // more, by less than 5 %
  EXPECT_EQ(verdict(0.97, project::Interval{0.93, 1.01}), Verdict::inconclusive);  // that may be more than 5 %
  EXPECT_EQ(verdict(0.97, project::Interval{0.93, 0.98}), Verdict::inconclusive);
  EXPECT_EQ(verdict(1.10, project::Interval{-0.1, 2.30}), Verdict::inconclusive);  // an interval without bound
}

TEST(Gate, ALimitOfZeroAsksWhetherItIsSlowerAtAll) {
  using project::Verdict;
  EXPECT_EQ(verdict(0.99, project::Interval{0.985, 0.995}, 0), Verdict::fail);
  EXPECT_EQ(verdict(0.99, project::Interval{0.975, 1.005}, 0), Verdict::inconclusive);
  EXPECT_EQ(verdict(1.01, project::Interval{0.995, 1.025}, 0), Verdict::inconclusive);
  EXPECT_EQ(verdict(1.01, project::Interval{1.005, 1.015}, 0), Verdict::pass);
  EXPECT_EQ(verdict(1, project::Interval{1, 1}, 0), Verdict::pass) << "of exact counts";
}

TEST(Gate, TheBoundsDecideAndNotTheInterval) {
  project::IntervalOrReason interval = project::Interval{0.85, 1.001};
  interval.bounds = {0.87, 0.999};
  EXPECT_EQ(verdict(0.93, interval), project::Verdict::fail);
  interval = project::Interval{0.95, 1.05};
  interval.bounds = {0.96, 1.04};
  EXPECT_EQ(verdict(1, interval), project::Verdict::pass);
}

TEST(Gate, WithoutAnIntervalNothingIsDecidedAndThatIsSaid) {
  for (const double speedup : {0.90, 0.96, 1.2}) {
    EXPECT_EQ(verdict(speedup, kWhy), project::Verdict::inconclusive) << speedup;
    EXPECT_EQ(project::check_speedup(speedup, kWhy, kLimit).note, kWhy);
  }
  EXPECT_EQ(project::check_speedup(0.96, project::Interval{0.95, 0.97}, kLimit).note, "");
}

TEST(Gate, ExactlyOnTheLimitIsWithin) {
  for (const double limit : {0.0, 0.01, 0.05, 0.07, 0.1, 0.3, 1.0}) {
    const double base = 3.3, now = base * (1 + limit);
    EXPECT_EQ(verdict(base / now, exactly(base / now), limit), project::Verdict::pass) << limit;
    const double more = base / (now * 1.000001);
    EXPECT_EQ(verdict(more, exactly(more), limit), project::Verdict::fail) << limit;
  }
}

TEST(Gate, GrowthIsOfTheTotalNotOfTheSpeed) {
  const project::Check check = project::check_speedup(0.8, project::Interval{0.5, 1.0}, kLimit);
  EXPECT_DOUBLE_EQ(*check.value, 0.25);  // 1 s becomes 1.25 s
  EXPECT_DOUBLE_EQ(check.interval->low, 0);
  EXPECT_DOUBLE_EQ(check.interval->high, 1);
  EXPECT_EQ(project::check_speedup(1, project::Interval{0, 2}, kLimit).interval->high,
            std::numeric_limits<double>::infinity());
}

TEST(Gate, WhatIsNoRatioCannotBeDecided) {
  for (const double no_ratio : {0.0, -1.0, std::nan("")})
    EXPECT_EQ(project::check_speedup(no_ratio, kWhy, kLimit).verdict, project::Verdict::unmeasured);
}

TEST(Gate, StrictPassesNothingThatIsUndecided) {
  const auto passing = [](project::Verdict v, bool inconclusive_fails) {
    project::Check c;
    c.verdict = v;
    return project::passes(c, inconclusive_fails);
  };
  for (const bool inconclusive_fails : {false, true}) {
    EXPECT_TRUE(passing(project::Verdict::pass, inconclusive_fails));
    EXPECT_FALSE(passing(project::Verdict::fail, inconclusive_fails));
    EXPECT_FALSE(passing(project::Verdict::unmeasured, inconclusive_fails));
    EXPECT_EQ(passing(project::Verdict::inconclusive, inconclusive_fails), !inconclusive_fails);
    EXPECT_EQ(passing(project::Verdict::unmatched, inconclusive_fails), !inconclusive_fails);
  }
}

TEST(Gate, EveryTotalOfEveryOtherConfigurationIsCompared) {
  const project::Projection p = projection({configuration("base", {total("time_s", 10), total("energy_j", 50)},
                                                          {speedup("time_s", 1), speedup("energy_j", 1)}),
                                            configuration("slow", {total("time_s", 12), total("energy_j", 50)},
                                                          {speedup("time_s", 10.0 / 12), speedup("energy_j", 1)}),
                                            configuration("hungry", {total("time_s", 10), total("energy_j", 80)},
                                                          {speedup("time_s", 1), speedup("energy_j", 50.0 / 80)})});
  EXPECT_EQ(told(project::check_regressions(p, kLimit)),
            (Told{"slow time_s fail", "slow energy_j pass", "hungry time_s pass", "hungry energy_j fail"}));
  EXPECT_FALSE(project::all_pass({project::check_regressions(p, kLimit), false}));
  EXPECT_TRUE(project::all_pass({project::check_regressions(p, 0.6), true}));
}

TEST(Gate, AMetricThatIsGoneBreaksOneThatIsNewDoesNot) {
  const project::Projection p =
      projection({configuration("base", {total("time_s", 10), total("energy_j", 50)}, {speedup("time_s", 1)}),
                  configuration("new", {total("time_s", 10), total("bytes", 1)}, {speedup("time_s", 1)})});
  EXPECT_EQ(told(project::check_regressions(p, kLimit)),
            (Told{"new time_s pass", "new energy_j unmeasured", "new bytes unmatched"}));
}

TEST(Gate, OnlyTotalsAreCompared) {
  project::MetricProjection ipc = total("ipc", 2);
  ipc.kind = project::MetricKind::rate;
  const project::Projection p = projection({configuration("base", {ipc}), configuration("new", {ipc})});
  EXPECT_EQ(told(project::check_regressions(p, kLimit)), (Told{"new  unmeasured"}));
  EXPECT_EQ(told(project::check_regressions(p, {p, "earlier.json", {}}, kLimit)),
            (Told{"base  unmeasured", "new  unmeasured"}));
}

TEST(Gate, AZeroTotalHasNoRatio) {
  const project::Projection p =
      projection({configuration("base", {total("time_s", 0)}), configuration("new", {total("time_s", 1)})});
  EXPECT_EQ(told(project::check_regressions(p, kLimit)), (Told{"new time_s unmeasured"}));
  EXPECT_EQ(told(project::check_regressions(p, {p, "earlier.json", {}}, kLimit)),
            (Told{"base time_s unmeasured", "new time_s pass"}));
}

project::Projection of(const std::string& name, double seconds, const project::IntervalOrReason& interval) {
  return projection({configuration(name, {total("time_s", seconds, interval)})});
}
project::Projection of(const std::string& name, double seconds) { return of(name, seconds, exactly(seconds)); }
std::vector<project::Check> against(const project::Projection& now, const project::Projection& then) {
  return project::check_regressions(now, {then, "earlier.json", {}}, kLimit);
}

TEST(Gate, AnEarlierProjectionIsComparedByConfiguration) {
  EXPECT_EQ(told(against(of("a", 12), of("a", 10))), (Told{"a time_s fail"}));
  EXPECT_EQ(told(against(of("a", 10), of("a", 12))), (Told{"a time_s pass"}));
  EXPECT_DOUBLE_EQ(*against(of("a", 12), of("a", 10)).front().value, 0.2);
  EXPECT_EQ(against(of("a", 12), of("a", 10)).front().reference, "earlier.json");
}

TEST(Gate, AnEarlierProjectionDecidesOnBothIntervals) {
  const auto within = [](double value, double relative) {
    return project::Interval{value * (1 - relative), value * (1 + relative)};
  };
  EXPECT_EQ(told(against(of("a", 12, within(12, 0.02)), of("a", 10, within(10, 0.02)))), (Told{"a time_s fail"}));
  EXPECT_EQ(told(against(of("a", 12, within(12, 0.2)), of("a", 10, within(10, 0.02)))),
            (Told{"a time_s inconclusive"}));
  EXPECT_EQ(told(against(of("a", 12, within(12, 0.02)), of("a", 10, within(10, 0.2)))),
            (Told{"a time_s inconclusive"}));
  EXPECT_EQ(told(against(of("a", 10, within(10, 0.02)), of("a", 10, within(10, 0.02)))), (Told{"a time_s pass"}));
}

TEST(Gate, AnIntervalOnOneSideOnlyIsNotUsed) {
  const project::Interval wide{1, 100};
  EXPECT_EQ(against(of("a", 12, wide), of("a", 10, kWhy)).front().note, "the reference has no interval: " + kWhy);
  EXPECT_EQ(against(of("a", 12, kWhy), of("a", 10, wide)).front().note, kWhy);
  project::Projection other = of("a", 10, wide);
  other.confidence = 0.9;
  EXPECT_EQ(against(of("a", 12, wide), other).front().verdict, project::Verdict::inconclusive);
  EXPECT_EQ(against(of("a", 12, wide), other).front().note, "the reference's interval is of another confidence");
  EXPECT_EQ(against(of("a", 12, project::Interval{-1, 20}), of("a", 10, wide)).front().note,
            "an interval reaches down to zero");
}

TEST(Gate, ConfigurationsThatOneOfTheTwoLacks) {
  const project::Projection both =
      projection({configuration("a", {total("time_s", 10)}), configuration("b", {total("time_s", 10)})});
  EXPECT_EQ(told(against(of("a", 10), both)), (Told{"a time_s pass", "b  unmatched"}));
  EXPECT_TRUE(project::all_pass({against(of("a", 10), both), false}));
  EXPECT_FALSE(project::all_pass({against(of("a", 10), both), true}));
  EXPECT_EQ(told(against(both, of("a", 10))), (Told{"a time_s pass", "b  unmatched"}));
}

TEST(Gate, NothingThatWasComparedIsNoPass) {
  EXPECT_EQ(told(against(of("a", 10), of("b", 10))), (Told{"a  unmeasured", "b  unmeasured"}));
  EXPECT_FALSE(project::all_pass({against(of("a", 10), of("b", 10)), false}));
  EXPECT_TRUE(project::all_pass({{}, true}));
}

TEST(Gate, OnlyTheMetricsAskedForAreMissed) {
  const project::Projection then = projection({configuration("a", {total("time_s", 10), total("energy_j", 1)})});
  EXPECT_EQ(told(against(of("a", 10), then)), (Told{"a time_s pass", "a energy_j unmeasured"}));
  EXPECT_EQ(told(project::check_regressions(of("a", 10), {then, "earlier.json", {"time_s"}}, kLimit)),
            (Told{"a time_s pass"}));
  const project::Projection now = projection({configuration("a", {total("time_s", 10), total("cpu_s", 1)})});
  EXPECT_EQ(told(project::check_regressions(now, {then, "earlier.json", {"time_s"}}, kLimit)), (Told{"a time_s pass"}));
}

TEST(Gate, TheIntervalOfARatioAddsRelativeWidthsInSquares) {
  // Ends a factor e^0.03 and e^0.04 away: the ratio's are e^0.05 away, 3-4-5.
  const auto around = [](double value, double width) {
    return project::Interval{value * std::exp(-width), value * std::exp(width)};
  };
  const auto ratio = project::ratio_interval(6, around(6, 0.03), 3, around(3, 0.04));
  EXPECT_NEAR(ratio->low, 2 * std::exp(-0.05), 1e-12);
  EXPECT_NEAR(ratio->high, 2 * std::exp(0.05), 1e-12);
  // A figure known exactly leaves the other's interval, turned round where it stands below.
  const auto below = project::ratio_interval(6, {6, 6}, 3, {2, 4});
  EXPECT_NEAR(below->low, 1.5, 1e-12);
  EXPECT_NEAR(below->high, 3, 1e-12);
  EXPECT_FALSE(project::ratio_interval(6, {0, 9}, 3, {2, 4}));
  EXPECT_FALSE(project::ratio_interval(6, {5, 9}, 3, {-2, 4}));
}

TEST(Gate, Coverage) {
  project::Projection p = of("a", 10);
  p.configurations.front().measured_weight = 0.8;
  EXPECT_EQ(project::check_measured_weight(p, 0.9).front().verdict, project::Verdict::fail);
  EXPECT_EQ(project::check_measured_weight(p, 0.8).front().verdict, project::Verdict::pass);
  EXPECT_TRUE(project::all_pass({project::check_measured_weight(p, 0.8), true}));
}

TEST(Gate, ErrorsOfMethods) {
  evaluate::Evaluation evaluation;
  evaluation.metric = "runtime_s";
  evaluate::MethodScore method;
  method.name = "bins";
  method.selected_on = "v1";
  method.points = 8;
  method.configurations = {{"v1", {0, 0.01}, {}}, {"v2", {0, 0.09}, {}}};
  evaluation.methods = {method};
  const auto checks = evaluate::check_errors(evaluation, kLimit);
  EXPECT_EQ(told(checks), (Told{"v1 runtime_s pass", "v2 runtime_s fail"}));
  EXPECT_EQ(checks.front().subject, "bins (on v1), points auto");
}

TEST(Gate, ErrorsOnAnotherRun) {
  evaluate::Evaluation evaluation;
  evaluate::MethodScore method;
  method.name = "frequent";
  method.configurations = {{"v1", {0, 0.01}, {}}};
  method.onto = evaluate::OntoScore{.total = evaluate::ErrorSummary{0, 0.09}, .reason = ""};
  evaluation.methods.push_back(method);
  method.onto = evaluate::OntoScore{.total = {}, .reason = "too many points"};
  evaluation.methods.push_back(method);
  const auto checks = evaluate::check_errors(evaluation, kLimit);
  ASSERT_EQ(checks.size(), 4U);
  EXPECT_EQ(checks[1].verdict, project::Verdict::fail);
  EXPECT_EQ(checks[3].verdict, project::Verdict::unmeasured);
  EXPECT_FALSE(project::passes(checks[3], false)) << "what is not predicted does not pass";
  EXPECT_EQ(io::views::message_of(checks[3]),
            "frequent: no prediction of the other run: too many points; --fail-above allows 5 %");
}

TEST(Gate, SaysWhichRegressionsItWouldShow) {
  const double half = 0.03;  // to the bounds, on the logarithm
  project::Projection p =
      projection({configuration("old", {total("runtime_s", 10)}),
                  configuration("new", {total("runtime_s", 10)},
                                {speedup("runtime_s", 1, project::Interval{std::exp(-half), std::exp(half)})})});
  // Normal quantiles of 80 % and 95 %; the limit of 5 % is further from 0 than the bound.
  EXPECT_NEAR(project::check_regressions(p, kLimit).at(0).detectable.value(),
              1.05 * std::exp(half * 0.8416212335729143 / 1.6448536269514722) - 1, 1e-8);
  EXPECT_NEAR(project::check_regressions(p, 0).at(0).detectable.value(),
              std::exp(half * (1 + 0.8416212335729143 / 1.6448536269514722)) - 1, 1e-8);
  p.confidence = 0.5;
  EXPECT_FALSE(project::check_regressions(p, kLimit).at(0).detectable) << "its bounds are the figure";
  p.confidence = 0.95;
  p.configurations[1].speedups[0].interval.reset();
  EXPECT_FALSE(project::check_regressions(p, kLimit).at(0).detectable);
}

}  // namespace
}  // namespace seqpoint::testing
