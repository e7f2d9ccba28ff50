// Time left where costs are known: exactly, or drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "property/draw.hpp"
#include "seqpoint/eta/eta.hpp"

namespace seqpoint::eta_property {
namespace {

using testing::Draw;

constexpr std::size_t kIterations = 200;

trace::Trace random_run(Draw& draw) {
  trace::Trace run;
  for (std::size_t i = 0; i < kIterations; ++i)
    run.add_signature(trace::SignatureKind::padded, {.src_len = draw.between(20U, 400U), .batch_size = 16});
  return run;
}

/// Of a network with a part that does not grow, and one that grows with the square of the length.
std::vector<double> costs_of(const trace::Trace& run) {
  std::vector<double> costs;
  for (const double length : run.src_len) costs.push_back(0.02 + 1e-3 * length + 1e-6 * length * length);
  return costs;
}

double sum_from(const std::vector<double>& values, std::size_t begin) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin), values.end(), 0.0);
}

TEST(EtaProperty, CostsOfFreeFunctionsAreProjectedWell) {
  testing::for_seeds(20, [](Draw& draw) {
    const trace::Trace run = random_run(draw);
    const std::vector<double> costs = costs_of(run);
    const std::size_t done = draw.between(20U, 190U);
    const eta::TimeLeft left = eta::time_left(run, std::span(costs).first(done), 0.95);
    EXPECT_EQ(left.done, done);
    EXPECT_EQ(left.left, kIterations - done);
    EXPECT_NEAR(left.expected.seconds / sum_from(costs, done), 1, 0.01);
    EXPECT_FALSE(left.stretch && left.stretch->is_off());
  });
}

TEST(EtaProperty, TimeInProportionToWorkIsExactWhateverTheOrder) {
  testing::for_seeds(20, [](Draw& draw) {
    trace::Trace run = random_run(draw);
    std::sort(run.src_len.begin(), run.src_len.end());
    std::vector<double> costs;
    for (std::size_t i = 0; i < run.size(); ++i) costs.push_back(1e-4 * static_cast<double>(run.padded_tokens_at(i)));
    const std::size_t done = draw.between(2U, 190U);
    const eta::TimeLeft left = eta::time_left(run, std::span(costs).first(done), 0.95);
    EXPECT_NEAR(left.expected.seconds / sum_from(costs, done), 1, 1e-9) << done;
  });
}

/// Iterations scatter by 4 %, and the machine's speed in what is left differs by as much as is taken for usual.
TEST(EtaProperty, IntervalsHoldAsOftenAsTheySayAndAlarmsAreRare) {
  int held = 0, off = 0, all = 0;
  testing::for_seeds(200, [&](Draw& draw) {
    const trace::Trace run = random_run(draw);
    std::vector<double> costs = costs_of(run);
    const std::size_t done = draw.between(10U, 150U);
    const double speed = 1 + eta::kDrift * draw.normal();
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] *= (1 + 0.04 * draw.normal()) * (i < done ? 1 : speed);
    const eta::TimeLeft left = eta::time_left(run, std::span(costs).first(done), 0.95);
    const double truth = sum_from(costs, done);
    ++all;
    if (left.expected.interval.low <= truth && truth <= left.expected.interval.high) ++held;
    if (left.stretch && left.stretch->is_off()) ++off;
  });
  EXPECT_GE(held, 0.92 * all);
  EXPECT_LE(held, 0.99 * all);
  EXPECT_LE(off, 0.02 * all);
}

TEST(EtaProperty, AMachineThatSlowsDownIsNoticed) {
  int off = 0, all = 0;
  testing::for_seeds(50, [&](Draw& draw) {
    const trace::Trace run = random_run(draw);
    std::vector<double> costs = costs_of(run);
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] *= (1 + 0.04 * draw.normal()) * (i < 80 ? 1 : 1.25);
    const eta::TimeLeft left = eta::time_left(run, std::span(costs).first(100), 0.95);
    ++all;
    if (left.stretch && left.stretch->is_off() && left.stretch->seconds > left.stretch->expected.seconds) ++off;
  });
  EXPECT_GE(off, 0.95 * all);
}

TEST(EtaProperty, WhatWasNotTimedIsDone) {
  Draw draw(1);
  const trace::Trace run = random_run(draw);
  std::vector<double> costs = costs_of(run);
  costs.resize(50);
  const double without = std::numeric_limits<double>::quiet_NaN();
  costs[0] = costs[7] = without;
  const eta::TimeLeft left = eta::time_left(run, costs, 0.95);
  EXPECT_EQ(left.done, 50U);
  EXPECT_EQ(left.timed, 48U);
  EXPECT_NEAR(left.expected.seconds / sum_from(costs_of(run), 50), 1, 0.01);
}

}  // namespace
}  // namespace seqpoint::eta_property
