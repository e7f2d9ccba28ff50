// Time left where costs are known: exactly, or drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "core/select/select.hpp"
#include "property/draw.hpp"
#include "property/time_left.hpp"

namespace seqpoint::eta_property {
namespace {

using testing::Draw;

constexpr std::size_t kIterations = 200;

trace::Trace random_run(Draw& draw) {
  trace::Trace run;
  for (std::size_t i = 0; i < kIterations; ++i)
    run.shapes.push_back({.src_len = draw.between(20U, 400U), .batch_size = 16});
  return run;
}

/// Of a network with a part that does not grow, and one that grows with the square of the length.
std::vector<double> costs_of(const trace::Trace& run) {
  std::vector<double> costs;
  for (const trace::Shape& shape : run.shapes) {
    const double length = shape.src_len;
    costs.push_back(0.02 + 1e-3 * length + 1e-6 * length * length);
  }
  return costs;
}

/// By iteration: whether its shape did not come before.
std::vector<bool> new_shapes(const trace::Trace& run) {
  std::vector<trace::Shape> known;
  std::vector<bool> is_new;
  for (const trace::Shape& shape : run.shapes) {
    is_new.push_back(std::ranges::find(known, shape) == known.end());
    if (is_new.back()) known.push_back(shape);
  }
  return is_new;
}

double sum_from(const std::vector<double>& values, std::size_t begin) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin), values.end(), 0.0);
}

bool holds(const eta::Expected& expected, double truth) {
  return expected.interval.low <= truth && truth <= expected.interval.high;
}

TEST(EtaProperty, CostsOfFreeFunctionsAreProjectedWell) {
  testing::for_seeds(20, [](Draw& draw) {
    const trace::Trace run = random_run(draw);
    const std::vector<double> costs = costs_of(run);
    const std::size_t done = draw.between(20U, 190U);
    const eta::TimeLeft left = testing::time_left(run, std::span(costs).first(done));
    EXPECT_EQ(left.done, done);
    EXPECT_EQ(left.left, kIterations - done);
    EXPECT_NEAR(left.expected.seconds / sum_from(costs, done), 1, 0.05);
    EXPECT_TRUE(holds(left.expected, sum_from(costs, done)));
    EXPECT_FALSE(left.stretch && left.stretch->is_off());
  });
}

TEST(EtaProperty, TimeInProportionToWorkIsExactWhateverTheOrder) {
  testing::for_seeds(20, [](Draw& draw) {
    trace::Trace run = random_run(draw);
    std::ranges::sort(run.shapes);
    std::vector<double> costs;
    for (std::size_t i = 0; i < run.size(); ++i) costs.push_back(1e-4 * static_cast<double>(run.padded_tokens_at(i)));
    const std::size_t done = draw.between(2U, 190U);
    const eta::TimeLeft left = testing::time_left(run, std::span(costs).first(done));
    EXPECT_NEAR(left.expected.seconds / sum_from(costs, done), 1, 1e-9) << done;
  });
}

/// As the model takes iterations to scatter, and the speed to differ between stretches: the scales are drawn from their
/// priors. Misfit is left out.
TEST(EtaProperty, IntervalsHoldAsOftenAsTheySayAndAlarmsAreRare) {
  const select::ModelConstants usual;
  int held = 0, off = 0, all = 0;
  testing::for_seeds(200, [&](Draw& draw) {
    const trace::Trace run = random_run(draw);
    std::vector<double> costs = costs_of(run);
    const std::size_t done = draw.between(10U, 150U);
    const double s = std::exp(usual.noise_spread * draw.normal());
    const double tau = select::kHostBound.median * std::exp(select::kHostBound.spread * draw.normal());
    const double noise = s * std::sqrt(usual.disturbance_variance(1, 1));
    std::vector<double> speeds(static_cast<std::size_t>(std::round(1 / eta::kLastStretch)) + 1);
    for (double& speed : speeds) speed = 1 + tau * draw.normal();
    for (std::size_t i = 0; i < costs.size(); ++i)
      costs[i] *= std::max(1 + noise * draw.normal(), 0.1) *
                  speeds[std::min(i * (speeds.size() - 1) / done, speeds.size() - 1)];
    const eta::TimeLeft left = testing::time_left(run, std::span(costs).first(done));
    ++all;
    if (holds(left.expected, sum_from(costs, done))) ++held;
    if (left.stretch && left.stretch->is_off()) ++off;
  });
  EXPECT_GE(held, 0.92 * all);
  EXPECT_LE(held, 0.99 * all);
  EXPECT_LE(off, 0.02 * all);
}

/// An interval without levels holds such a run hardly ever: the part that is done shows how its stretches differ.
TEST(EtaProperty, SpeedsThatDifferWidenTheInterval) {
  testing::for_seeds(20, [&](Draw& draw) {
    trace::Trace run = random_run(draw);
    for (trace::Shape& s : run.shapes) s.src_len = 50 + 50 * (s.src_len % 4);  // shared by stretches
    std::vector<double> costs = costs_of(run);
    const auto half = [&] {
      const project::Interval interval = testing::time_left(run, std::span(costs).first(100)).expected.interval;
      return (interval.high - interval.low) / 2 / sum_from(costs, 100);
    };
    for (double& cost : costs) cost *= 1 + 0.02 * draw.normal();
    const double even = half();
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] *= i / 20 % 2 == 0 ? 0.9 : 1.1;
    EXPECT_GT(half(), 0.1);
    EXPECT_LT(even, 0.06);
  });
}

/// The clock has a resolution of two seconds.
TEST(EtaProperty, TimesOfACoarseClockCountWhereTheyAreZero) {
  trace::Trace run;
  run.shapes.assign(100, {.src_len = 50, .batch_size = 16});
  std::vector<double> seconds;
  for (int i = 0; i < 40; ++i) seconds.push_back(i % 2 == 0 ? 0 : 2);
  EXPECT_NEAR(testing::time_left(run, seconds).expected.seconds, 60, 1e-9);
}

/// An epoch of falling lengths, some of whose iterations take less than a tick: the rest takes some time.
TEST(EtaProperty, ACoarseClockLeavesAnInterval) {
  testing::for_seeds(20, [](Draw& draw) {
    trace::Trace run = random_run(draw);
    std::ranges::sort(run.shapes, std::greater());
    const std::vector<double> costs = costs_of(run);
    std::vector<double> ticks;
    const std::size_t done = draw.between(60U, 120U);
    double now = 0;
    for (std::size_t i = 0; i < done; ++i) {
      ticks.push_back(std::floor(now + costs[i]) - std::floor(now));
      now += costs[i];
    }
    ASSERT_TRUE(std::ranges::find(ticks, 0) != ticks.end());
    const eta::Expected expected = testing::time_left(run, ticks).expected;
    EXPECT_TRUE(holds(expected, sum_from(costs, done))) << done;
    EXPECT_GT(expected.interval.low, 0.3 * sum_from(costs, done)) << done;
    EXPECT_NEAR(expected.seconds / sum_from(costs, done), 1, 0.25) << done;
  });
}

/// Attention alone, by ascending length: in proportion to work, what is left would take less than half as long.
TEST(EtaProperty, TheCurveIsTakenThatPredictedWhatIsDone) {
  int missed = 0;  // by intervals of 95 %
  testing::for_seeds(20, [&missed](Draw& draw) {
    trace::Trace run = random_run(draw);
    std::ranges::sort(run.shapes);
    std::vector<double> costs;
    for (const trace::Shape& shape : run.shapes) costs.push_back(0.01 + 1e-5 * std::pow(shape.src_len, 2.0));
    const std::size_t done = draw.between(60U, 150U);
    const eta::TimeLeft left = testing::time_left(run, std::span(costs).first(done));
    EXPECT_NEAR(left.expected.seconds / sum_from(costs, done), 1, 0.1) << done;
    missed += holds(left.expected, sum_from(costs, done)) ? 0 : 1;
    ASSERT_TRUE(left.stretch);
    EXPECT_NEAR(left.stretch->expected.seconds / left.stretch->seconds, 1, 0.05) << "the line of the same curve";
  });
  EXPECT_LE(missed, 2);
}

/// Two iterations, of which the first is slow: a figure above 0, and an interval that is wide.
TEST(EtaProperty, TwoIterationsGiveASaneFigure) {
  testing::for_seeds(20, [](Draw& draw) {
    trace::Trace run = random_run(draw);
    std::ranges::sort(run.shapes);
    std::vector<double> costs = costs_of(run);
    costs[0] *= 3;
    const eta::Expected expected = testing::time_left(run, std::span(costs).first(2)).expected;
    const double work = static_cast<double>(run.padded_tokens_at(0) + run.padded_tokens_at(1));
    double all = 0;
    for (std::size_t i = 0; i < run.size(); ++i) all += static_cast<double>(run.padded_tokens_at(i));
    EXPECT_NEAR(expected.seconds / ((costs[0] + costs[1]) * (all / work - 1)), 1, 1e-9);
    EXPECT_LE(expected.interval.low, expected.seconds);
    EXPECT_LE(expected.seconds, expected.interval.high);
    EXPECT_TRUE(holds(expected, sum_from(costs, 2)));
  });
}

TEST(EtaProperty, AMachineThatSlowsDownIsNoticed) {
  int off = 0, all = 0;
  testing::for_seeds(50, [&](Draw& draw) {
    const trace::Trace run = random_run(draw);
    std::vector<double> costs = costs_of(run);
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] *= (1 + 0.04 * draw.normal()) * (i < 80 ? 1 : 1.5);
    const eta::TimeLeft left = testing::time_left(run, std::span(costs).first(100));
    ++all;
    if (left.stretch && left.stretch->is_off() && left.stretch->seconds > left.stretch->expected.seconds) ++off;
  });
  EXPECT_GE(off, 0.95 * all);
}

/// A kernel a shape, built when it first comes: what is done has many such, and what is left has few.
TEST(EtaProperty, WhatShapesCostMoreAtFirstIsExactlyToldFromTheirWork) {
  testing::for_seeds(20, [](Draw& draw) {
    trace::Trace run = random_run(draw);
    for (trace::Shape& s : run.shapes) s.src_len = 20 + s.src_len / 8;
    const double more = 0.02 + 0.1 * draw.uniform();
    std::vector<double> costs;
    std::vector<trace::Shape> known;
    const std::size_t done = draw.between(40U, 190U);
    std::uint64_t new_later = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
      const bool is_new = std::ranges::find(known, run.shapes[i]) == known.end();
      if (is_new) known.push_back(run.shapes[i]);
      costs.push_back(1e-4 * static_cast<double>(run.padded_tokens_at(i)) + (is_new ? more : 0));
      if (is_new && i >= done) ++new_later;
    }
    const eta::TimeLeft left = testing::time_left(run, std::span(costs).first(done));
    EXPECT_NEAR(left.expected.seconds / sum_from(costs, done), 1, 1e-9) << done;
    EXPECT_TRUE(holds(left.expected, left.expected.seconds));
    ASSERT_TRUE(left.expected.first_seen);
    EXPECT_NEAR(left.expected.first_seen->seconds_each, more, 1e-12);
    EXPECT_EQ(left.expected.first_seen->left, new_later);
  });
}

/// As a machine that was slow at first does: by no more than levels usually differ.
TEST(EtaProperty, WhatMayBeTheMachinesIsNoCostOfShapes) {
  testing::for_seeds(20, [](Draw& draw) {
    trace::Trace run = random_run(draw);
    for (trace::Shape& s : run.shapes) s.src_len = 20 + s.src_len / 8;
    std::vector<double> costs = costs_of(run);
    for (std::size_t i = 0; i < 25; ++i) costs[i] *= 1.03;
    EXPECT_FALSE(testing::time_left(run, std::span(costs).first(100)).expected.first_seen);
  });
}

/// Where shapes cost more at first, with scatter: the intervals know how well the difference is known.
TEST(EtaProperty, IntervalsHoldWhereShapesCostMoreAtFirst) {
  int held = 0, all = 0;
  testing::for_seeds(100, [&](Draw& draw) {
    trace::Trace run = random_run(draw);
    for (trace::Shape& s : run.shapes) s.src_len = 20 + s.src_len / 4;
    std::vector<double> costs = costs_of(run);
    const std::vector<bool> is_new = new_shapes(run);
    const double more = 0.3 * draw.uniform();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      costs[i] *= 1 + 0.05 * draw.normal();
      if (is_new[i]) costs[i] += more * std::exp(0.2 * draw.normal());
    }
    const std::size_t done = draw.between(60U, 150U);
    ++all;
    if (holds(testing::time_left(run, std::span(costs).first(done)).expected, sum_from(costs, done))) ++held;
  });
  EXPECT_GE(held, 0.9 * all);
}

/// A few iterations, all of new shapes, tell nothing of known ones: these may take anything.
TEST(EtaProperty, IntervalsReachDownWhereNoShapeHasComeAgain) {
  int held = 0, all = 0;
  testing::for_seeds(100, [&](Draw& draw) {
    trace::Trace run = random_run(draw);
    for (trace::Shape& s : run.shapes) s.src_len = 20 + s.src_len / 8;
    std::vector<double> costs = costs_of(run);
    const std::vector<bool> is_new = new_shapes(run);
    const double more = 0.5 * draw.uniform();
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] += is_new[i] ? more : 0;
    const eta::Expected expected = testing::time_left(run, std::span(costs).first(4)).expected;
    if (!expected.down_to_new) return;
    ++all;
    if (holds(expected, sum_from(costs, 4))) ++held;
  });
  EXPECT_GE(all, 80);
  EXPECT_GE(held, 0.95 * all);
}

/// As the short last batch of an epoch: a part of the cost does not shrink with it.
TEST(EtaProperty, BatchesOfASizeThatWasNotTimedAreHeld) {
  testing::for_seeds(20, [](Draw& draw) {
    trace::Trace run = random_run(draw);
    const std::size_t done = kIterations - draw.between(1U, 10U);
    std::vector<double> costs;
    for (std::size_t i = 0; i < kIterations; ++i) {
      trace::Shape& s = run.shapes[i];
      s.batch_size = i < done ? 64 : 8;
      costs.push_back(0.05 + 1e-5 * s.src_len * s.batch_size);
    }
    EXPECT_TRUE(holds(testing::time_left(run, std::span(costs).first(done)).expected, sum_from(costs, done))) << done;
  });
}

TEST(EtaProperty, WhatWasNotTimedIsDone) {
  Draw draw(1);
  const trace::Trace run = random_run(draw);
  std::vector<double> costs = costs_of(run);
  costs.resize(50);
  const double without = std::numeric_limits<double>::quiet_NaN();
  costs[0] = costs[7] = without;
  const eta::TimeLeft left = testing::time_left(run, costs);
  EXPECT_EQ(left.done, 50U);
  EXPECT_EQ(left.timed, 48U);
  EXPECT_NEAR(left.expected.seconds / sum_from(costs_of(run), 50), 1, 0.05);
}

}  // namespace
}  // namespace seqpoint::eta_property
