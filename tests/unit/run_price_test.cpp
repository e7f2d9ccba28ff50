// What measuring costs beside an epoch, and what one more process would bring.
#include "core/measuring/price.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/measuring/turns.hpp"

namespace seqpoint::measuring {
namespace {

// Five batches warm a process up, and 21 are in a row.
TEST(Way, IsWholeEpochsIfAProcessRunsAsManyBatches) {
  EXPECT_EQ(way_of(33, 60), Way::points);
  EXPECT_EQ(way_of(34, 60), Way::epochs);
}

// A process of points takes 5 + 2 s, one of the epoch 5 + 2 s: as long.
TEST(Way, IsWholeEpochsIfAllThatPointsTakeCostsMore) {
  EXPECT_EQ(way_of({.points_s = 7, .start_s = 5, .steady_s = 2}, 2, 2, 0), Way::points);
  const Price shorter{.points_s = 7, .start_s = 5, .steady_s = 1.9};
  EXPECT_EQ(way_of(shorter, 2, 2, 0), Way::epochs);
  EXPECT_EQ(way_of(shorter, 1, 2, 0), Way::points) << "a process of points was run before";
  EXPECT_EQ(way_of(shorter, 2, 2, 5), Way::points) << "the order's process goes on";
}

// A start takes 15 s, a batch 0.1 s, an epoch has 400, two processes run 58 of the plan, and each 21 in a row after
// half a second of warm-up; what lies between processes takes half a second: 15.5 + 5.5 s and 15.5 + 40 s.
TEST(Way, IsKnownFromTheOrder) {
  const Pace pace{.start_s = 15, .batch_s = 0.1};
  Price price = price_by(pace, 58, 400);
  EXPECT_NEAR(price.points_s, 21, 1e-9);
  EXPECT_NEAR(price.epoch_s(), 55.5, 1e-9);
  EXPECT_EQ(way_of(price, 2, 2, 0), Way::points);
  EXPECT_EQ(way_of(price_by(pace, 58, 50), 2, 2, 0), Way::epochs) << "20.5 s";
  price += price;
  EXPECT_NEAR(price.points_s, 42, 1e-9);
  EXPECT_NEAR(price.epoch_s(), 111, 1e-9);
}

// Batches of 2 s: five warm the process up, 21 are in a row, 16 of the plan, after 10.5 s. The loader starts twice.
TEST(Price, HasTheWarmUpOfSlowBatchesAndTheStartsOfTheLoader) {
  EXPECT_NEAR(price_by({.start_s = 10, .batch_s = 2}, 32, 400).points_s, 10.5 + 2 * (5 + 21 + 16), 1e-9);
  EXPECT_NEAR(price_by({.start_s = 10, .batch_s = 2, .loader_s = 3}, 32, 400).points_s, 16.5 + 2 * (5 + 21 + 16), 1e-9);
}

// An order took 9 s, two processes take 14 s each: the most has room for a third.
TEST(Price, ThatIsSaidHasRoomForOneMoreProcess) {
  const SaidPrice said = price_said(9, 2 * 14, 14);
  EXPECT_NEAR(said.about_s, 37, 1e-9);
  EXPECT_NEAR(said.most_s, 51, 1e-9);
  EXPECT_TRUE(fits(said, 36.9, 14)) << "processes took what they were to take";
  EXPECT_FALSE(fits(said, 38, 14)) << "they took longer";
  EXPECT_FALSE(fits(said, 36.9, 14.5)) << "the next one takes longer";
  EXPECT_TRUE(fits({}, 1e6, 14)) << "nothing was said";
}

// 60 s are two processes of 10.5 s, half a second of warm-up, 21 batches in a row and 169 of the plan.
TEST(Affordable, IsWhatTwoProcessesRunInTheTime) {
  const Pace pace{.start_s = 10, .batch_s = 0.1};
  EXPECT_NEAR(static_cast<double>(affordable(pace, 60)), 2 * 169, 2);
  EXPECT_EQ(affordable(pace, 20), 2 * kFewestPlanned) << "a process runs some, however little time there is";
  EXPECT_EQ(affordable(pace, -5), 2 * kFewestPlanned);
}

// An epoch takes 100 s after a start of 10 s, and another start is put aside: 120 s, of which a process takes 30.
TEST(Price, OfAnotherProcessIsAtMostAnEpochInAll) {
  const Price price{.points_s = 30, .start_s = 10, .steady_s = 100};
  EXPECT_FALSE(exceeds_epoch(price, 90));
  EXPECT_TRUE(exceeds_epoch(price, 91));
}

// Without between-process variation the half-width falls with the square root of the processes.
TEST(Narrowing, OfNoiseIsThatOfMoreMeasurements) {
  EXPECT_NEAR(
      narrowing({.metric = {}, .processes = 2, .half_width_without = 0.03, .spread = 1e-9, .usual = {1e-9, 0.8}}, 0.03),
      std::sqrt(2 / 3.), 1e-3);
  EXPECT_NEAR(
      narrowing({.metric = {}, .processes = 8, .half_width_without = 0.03, .spread = 1e-9, .usual = {1e-9, 0.8}}, 0.03),
      std::sqrt(8 / 9.), 1e-3);
}

// Levels explain a half-width of 2 x 2 % sqrt(1.5) or so. If it is 30 %, two processes are far apart, and the next one
// shows which of them was disturbed.
TEST(Narrowing, IsMuchWhereTwoProcessesAreApart) {
  const project::ProcessPart part{
      .metric = {}, .processes = 2, .half_width_without = 0.005, .spread = 0.02, .usual = {0.02, 0.8}};
  EXPECT_LT(narrowing(part, 0.3), 0.3);
  EXPECT_EQ(narrowing(part, half_width_after(part, 2)), narrowing(part, 0));
}

// An epoch is a process, too: many known ones tell all but how much it differs from them.
TEST(Narrowing, EndsWhereManyProcessesAreKnown) {
  const project::ProcessPart many{
      .metric = {}, .processes = 100, .half_width_without = 0.001, .spread = 0.02, .usual = {0.02, 0.8}};
  EXPECT_GT(narrowing(many, 0), 0.99);
  EXPECT_LT(narrowing(many, 0), 1);
  EXPECT_NEAR(least_half_width(many), 0.0392, 1e-4);
}

// Two processes whose levels are as usual leave open how much processes differ; of a few that differ twice as much
// that is known sooner.
TEST(Narrowing, OfLevelsIsLargestAfterTwoProcesses) {
  project::ProcessPart part{
      .metric = {}, .processes = 2, .half_width_without = 0.005, .spread = 0.01, .usual = {0.02, 0.8}};
  double before = 0;
  for (; part.processes < 8; ++part.processes) {
    EXPECT_GT(narrowing(part, 0), before);
    before = narrowing(part, 0);
  }
  EXPECT_GT(before, 1 - kLeastGain);
}

/// Builds that two processes have measured, without between-process variation.
project::Projection measured_twice(std::size_t builds, double half_width_without, double half_width_steady) {
  project::Projection projection;
  projection.configurations.resize(builds);
  for (project::ConfigurationProjection& c : projection.configurations)
    c.processes = {.metric = {},
                   .processes = 2,
                   .half_width_without = half_width_without,
                   .half_width_steady = half_width_steady,
                   .spread = 1e-9,
                   .usual = {1e-9, 0.8}};
  return projection;
}

// ± 5 % = hypot(3 %, 4 %), of which 4 % are of measurements: hypot(3 %, 1 %) after 16 times as many.
TEST(Forecast, OfMeasurementsOnly) {
  EXPECT_EQ(processes_for(measured_twice(1, 0.05, 0.03), std::hypot(0.03, 0.01) + 1e-9), 32U);
  EXPECT_EQ(processes_for(measured_twice(1, 0.05, 0.03), 0.03), std::nullopt);
  EXPECT_NEAR(least_half_width(*measured_twice(1, 0.05, 0.03).configurations.front().processes), 0.03, 1e-6);
}

// Points miss both builds alike; their measurements are independent, and add up to sqrt(2) times ± 4 %.
TEST(Forecast, OfAChangeLeavesOutThePoints) {
  EXPECT_EQ(processes_for(measured_twice(2, 0.05, 0.03), std::sqrt(2) * 0.01 + 1e-9), 32U);
}

// The interval of the time is ± 6 %, its parts are ± 5 %: what is unexplained stays.
TEST(Forecast, KeepsWhatTheIntervalHasBesideItsParts) {
  project::Projection projection = measured_twice(1, 0.05, 0.03);
  projection.configurations.front().metrics = {
      {.name = "runtime_s", .value = 100, .interval = project::Interval{94, 106}}};
  EXPECT_EQ(processes_for(projection, std::sqrt(0.0009 + 0.0011) - 1e-3), std::nullopt);
  EXPECT_EQ(processes_for(projection, std::sqrt(0.0009 + 0.0011 + 0.0001) + 1e-6), 32U);
}

TEST(Forecast, NeedsAnInterval) {
  project::Projection projection = measured_twice(2, 0.05, 0.03);
  projection.configurations.back().processes.reset();
  EXPECT_EQ(processes_for(projection, 0.02), std::nullopt);
}

// Between-process variation dominates: Student's t with n - 1 degrees of freedom, without a prior, is
// t s sqrt(1 + 1 / n), and after many processes the prior hardly matters. t(0.975, 99) is 1.9842.
TEST(Forecast, OfManyProcessesIsStudents) {
  const project::ProcessPart part{.metric = {}, .processes = 2, .spread = 0.02, .usual = {0.02, 0.8}};
  EXPECT_NEAR(half_width_after(part, 100) / (1.9842 * 0.02 * std::sqrt(1.01)), 1, 0.02);
}

}  // namespace
}  // namespace seqpoint::measuring
