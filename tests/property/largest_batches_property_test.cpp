// The largest batch that fits into memory, against projections of runs of one batch, and against costs that are known.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/project/timed_run.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::largest_batches_property {
namespace {

using testing::Draw;

struct Network {
  double base, of_tokens, of_squares;
  double needs(double length, double size) const {
    return base + size * (of_tokens * length + of_squares * length * length);
  }
};

Network random_network(Draw& draw) {
  const double base = 1e9 * draw.uniform(), tokens = 1e5 * (0.1 + draw.uniform());
  return {base, tokens, tokens / 1000 * draw.uniform()};
}

/// Some batches of six lengths in three sizes; `noise`: the standard deviation of each, as a share.
project::TimedRun measured(const Network& network, Draw& draw, double noise) {
  trace::Trace batches;
  std::vector<double> peaks;
  for (const std::uint32_t length : {50U, 120U, 200U, 330U, 470U, 600U})
    for (const std::uint32_t size : {4U, 12U, 32U}) {
      const double of_this = 1 + noise * draw.normal();
      batches.signatures.push_back({.src_len = length, .batch_size = size});
      peaks.push_back(network.needs(length, size) * of_this);
    }
  project::TimedRun run = project::timed_run(batches, peaks, "profile");
  run.measured.measurements.metrics = {"peak_bytes"};
  return run;
}

constexpr std::array<std::uint64_t, 4> kLengths{100, 250, 400, 600};

/// What a run of this one batch is projected to need: at least the largest measured, which is below all limits here.
double upper_end(const project::TimedRun& measured, std::uint64_t length, std::uint64_t size) {
  trace::Trace one;
  one.signatures.push_back(
      {.src_len = static_cast<std::uint32_t>(length), .batch_size = static_cast<std::uint32_t>(size)});
  project::ProjectParams params;
  params.kinds["peak_bytes"] = project::MetricKind::max;
  const project::Projection projection =
      project::project_onto(measured.selection, {.source = "one", .digest = "", .run = trace::summarise(one)},
                            std::span(&measured.measured, 1), params);
  return projection.configurations.front().metrics.front().interval->high;
}

TEST(LargestBatchesProperty, OneMoreSampleWouldNotFitByTheProjectionOfThatBatch) {
  testing::for_seeds(6, [](Draw& draw) {
    const Network network = random_network(draw);
    const project::TimedRun run = measured(network, draw, 0.01);
    const double limit = network.needs(600, 32) * (1.5 + draw.uniform());
    const auto batches = project::largest_batches(run, kLengths, limit, 10'000);
    for (std::size_t i = 0; i < kLengths.size(); ++i) {
      ASSERT_GT(batches[i].size, 0U);
      EXPECT_LE(upper_end(run, kLengths[i], batches[i].size), limit);
      EXPECT_GT(upper_end(run, kLengths[i], batches[i].size + 1), limit);
      EXPECT_LE(batches[i].size, batches[i].likely);
    }
  });
}

/// Memory is known exactly: what is predicted fits to within the part of it that is left to unknown shapes.
TEST(LargestBatchesProperty, WithoutNoiseThePredictionIsTheCost) {
  testing::for_seeds(6, [](Draw& draw) {
    const Network network = random_network(draw);
    const project::TimedRun run = measured(network, draw, 0);
    const double limit = network.needs(600, 30);
    const auto batches = project::largest_batches(run, std::array<std::uint64_t, 2>{330, 600}, limit, 10'000);
    EXPECT_NEAR(static_cast<double>(batches[1].likely), 30, 1);
    const double of_330 = (limit - network.base) / (network.needs(330, 1) - network.base);
    EXPECT_NEAR(static_cast<double>(batches[0].likely), of_330, 0.05 * of_330 + 1);
    EXPECT_EQ(batches[1].beyond, 0);
  });
}

/// Of intervals of 95 %, one end: at least 95 % of the batches fit.
TEST(LargestBatchesProperty, TheBatchesFit) {
  std::size_t fit = 0, all = 0;
  testing::for_seeds(30, [&](Draw& draw) {
    const Network network = random_network(draw);
    const double noise = 0.05 * draw.uniform();
    const project::TimedRun run = measured(network, draw, noise);
    const double limit = network.needs(600, 32) * (0.3 + draw.uniform());
    const auto batches = project::largest_batches(run, kLengths, limit, 10'000);
    for (std::size_t i = 0; i < kLengths.size(); ++i) {
      ++all;
      if (network.needs(static_cast<double>(kLengths[i]), static_cast<double>(batches[i].size)) <= limit ||
          batches[i].size == 0)
        ++fit;
    }
  });
  EXPECT_GE(static_cast<double>(fit), 0.95 * static_cast<double>(all)) << fit << " of " << all;
}

TEST(LargestBatchesProperty, WhatIsBeyondTheMeasuredIsSaid) {
  Draw draw(1);
  const Network network{1e8, 1e5, 10};
  const project::TimedRun run = measured(network, draw, 0);
  const auto beyond = [&](std::uint64_t length, double limit) {
    return project::largest_batches(run, std::array{length}, limit, 10'000).front().beyond;
  };
  EXPECT_DOUBLE_EQ(beyond(655, network.needs(600, 20)), 0.1);  // of 50 to 600
  EXPECT_GT(beyond(50, network.needs(600, 20)), 1);            // of 4 to 32
  EXPECT_EQ(beyond(600, network.needs(600, 20)), 0);
}

TEST(LargestBatchesProperty, LimitsThatNothingReachesOrMeets) {
  Draw draw(1);
  const Network network{1e8, 1e5, 10};
  const project::TimedRun run = measured(network, draw, 0);
  EXPECT_EQ(project::largest_batches(run, kLengths, 1e7, 100).front().size, 0U);
  EXPECT_EQ(project::largest_batches(run, kLengths, 1e15, 100).front().size, 100U);
}

TEST(LargestBatchesProperty, OneSizeSaysNothingOfOthers) {
  trace::Trace batches;
  std::vector<double> peaks;
  for (std::uint32_t length = 10; length <= 100; length += 10) {
    batches.signatures.push_back({.src_len = length, .batch_size = 8});
    peaks.push_back(length * 1e6);
  }
  EXPECT_THROW(project::largest_batches(project::timed_run(batches, peaks, "profile"), kLengths, 1e9, 10),
               ParameterError);
}

}  // namespace
}  // namespace seqpoint::largest_batches_property
