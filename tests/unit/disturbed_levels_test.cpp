// The level of an undisturbed process. Values of the cases are those of an independent program: SciPy's adaptive
// quadrature of the same densities, between breakpoints of its own, and its root finder for half-widths.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "core/select/scales.hpp"

namespace seqpoint::select {
namespace {

struct MomentsCase {
  std::vector<double> logs;
  double deviation, ln_evidence, mean, variance;
  std::vector<double> disturbed;
};

TEST(DisturbedLevels, MomentsAreThoseOfNumericalIntegration) {
  const std::vector<MomentsCase> cases{
      {{0, 0.01, -0.02}, 0.02, 4.71913284, -0.00348695766, 0.000135302693, {0.005993021, 0.010812281, 0.002686578}},
      {{0, 0.01, -0.015, 3},
       0.02,
       -6.88950083,
       -0.00135232079,
       0.000134872776,
       {0.005376147, 0.009382346, 0.002942262, 1}},
      {{0, 0.4}, 0.01, -3.14929950, -0.00351282051, 0.00123905325, {0.025641026, 1}},
      {{0.1, 0.1}, 0.3, -0.0854299049, 0.0924554508, 0.0463157159, {0.038809809, 0.038809809}},
      {{-0.01, 0.002, 0.004, 0.01, 0.2, 0.25},
       0.03,
       1.71631300,
       0.00281797688,
       0.000226947140,
       {0.004952278, 0.006754629, 0.007157598, 0.008621605, 0.999996371, 1}}};
  for (const MomentsCase& one : cases) {
    const LevelMoments found = undisturbed_level(one.logs, one.deviation);
    EXPECT_NEAR(found.ln_evidence, one.ln_evidence, 1e-7);
    EXPECT_NEAR(found.mean, one.mean, 1e-7);
    EXPECT_NEAR(found.variance, one.variance, 1e-7);
    const std::vector<double> disturbed = disturbed_probabilities(one.logs, one.deviation);
    for (std::size_t p = 0; p < disturbed.size(); ++p) EXPECT_NEAR(disturbed[p], one.disturbed[p], 1e-7) << p;
  }
}

struct BiasCase {
  double of_points, distance, of_stretches, mean, variance;
};

/// Integrals over the bias of a plan from e^-8 to e^8 times its median, by 4,001 values.
TEST(PlanBias, MovesPointsTowardsStretches) {
  const std::vector<BiasCase> cases{{0.0002, 0.01, 0.0003, 0.004922074, 0.000148984},
                                    {0.0001, 0.2, 0.0002, 0.196085129, 0.000203234},
                                    {0.0004, -0.05, 0.0001, -0.042855224, 0.0000932068},
                                    {0.00001, 0.02, 0.00001, 0.018931263, 0.0000104311}};
  for (const BiasCase& one : cases) {
    const LevelMoments points{.ln_evidence = 1, .mean = 0.3, .variance = one.of_points},
        stretches{.ln_evidence = 2, .mean = 0.3 + one.distance, .variance = one.of_stretches};
    const LevelMoments found = without_plan_bias(points, stretches);
    EXPECT_NEAR(found.mean - 0.3, one.mean, 0.005 * std::abs(one.mean));
    EXPECT_NEAR(found.variance, one.variance, 0.01 * one.variance);
  }
}

/// Where points and stretch share a level, a stretch says nothing about it: the points' variance stays.
TEST(PlanBias, OfSharedLevelsLeavesTheirVariance) {
  const LevelMoments found = without_shared_bias({.mean = 0.3, .variance = 0.01}, {.mean = 0.1, .variance = 0.0002});
  EXPECT_NEAR(found.mean, 0.3 + 0.093115307, 0.0005);
  EXPECT_NEAR(found.variance, 0.01 + 0.000212048, 0.000002);
}

/// Four levels of two processes teach how much processes differ as four processes do.
TEST(PlanBias, TwoProcessesWithStretchesHaveANarrowerInterval) {
  const LevelEvidence alone{.degrees = 1, .logs = {0, 0.002}};
  LevelEvidence both = alone;
  both.stretches = {.points = alone.logs, .ratios = {0.001, -0.002}, .noise = 0.00001};
  const ErrorParts parts{.processes = 0.5, .own_process = 1};
  const auto width = [&](const LevelEvidence& levels, double spread) {
    return posterior_of_levels({&levels, 1}, {kHostBound.median, spread})->half_width(parts, 0.95);
  };
  EXPECT_LT(width(both, kHostBound.spread), 0.9 * width(alone, kHostBound.spread));
  EXPECT_LT(width(both, kHostBound.spread_with_stretches), width(both, kHostBound.spread));
}

struct HalfWidthCase {
  std::vector<double> logs;
  BetweenProcesses between;
  double level, of_95, of_90;
};

/// An epoch in another process, where each process's own projection has no noise.
TEST(DisturbedLevels, HalfWidthsAreThoseOfNumericalIntegration) {
  const std::vector<HalfWidthCase> cases{
      {{0, 0.01, -0.02}, kHostBound, -0.0035377265, 0.0567351537, 0.0426822926},
      {{0, 0.01, -0.02}, kDeviceBound, -0.0035386875, 0.0459751955, 0.0345797903},
      {{0, 0.01, -0.015, 3}, kHostBound, -0.0012766573, 0.0512062168, 0.0382312037},
      {{0, 0.01, -0.015, 3}, kDeviceBound, -0.0014781066, 0.0391192963, 0.0290925914},
      {{0, 0.4}, kHostBound, 0.0201159871, 0.2154542816, 0.1339766697},
      {{0, 0.4}, kDeviceBound, 0.0051093105, 0.0973364282, 0.0704668977}};
  for (const HalfWidthCase& one : cases) {
    const auto processes = static_cast<double>(one.logs.size());
    LevelEvidence levels{.degrees = processes - 1, .logs = one.logs};
    EXPECT_NEAR(posterior_of_levels({&levels, 1}, one.between)->undisturbed_level(), one.level, 1e-6);
    levels.center = one.level;
    const auto about_it = posterior_of_levels({&levels, 1}, one.between);
    const ErrorParts parts{.processes = 1 / processes, .own_process = 1};
    EXPECT_NEAR(about_it->half_width(parts, 0.95), one.of_95, 1e-6);
    EXPECT_NEAR(about_it->half_width(parts, 0.9), one.of_90, 1e-6);
  }
}

/// Without a disturbance the levels are normal: the mean of all, with their variance over their number.
TEST(DisturbedLevels, AlikeProcessesHaveTheMeanOfAll) {
  const std::vector<double> logs{-0.001, 0, 0.001};
  const LevelMoments found = undisturbed_level(logs, 0.01);
  EXPECT_NEAR(found.mean, 0, 5e-4);
  EXPECT_NEAR(found.variance, 1e-4 / 3, 1e-6);
}

/// Three processes alike and one 20 times slower.
TEST(DisturbedLevels, OneProcessThatIsFarSlowerDoesNotCount) {
  for (const double deviation : {0.003, 0.01, 0.05}) {
    const std::vector<double> logs{0, deviation, -deviation, std::log(20)};
    EXPECT_NEAR(undisturbed_level(logs, deviation).mean, 0, 0.03) << deviation;
    const std::vector<double> disturbed = disturbed_probabilities(logs, deviation);
    EXPECT_GT(disturbed[3], 0.999);
    for (std::size_t p = 0; p < 3; ++p) EXPECT_LT(disturbed[p], 0.1);
  }
}

/// Nothing makes a process faster: one that is far faster shows that the others were disturbed, if anything was.
TEST(DisturbedLevels, DisturbancesAreSlower) {
  EXPECT_NEAR(undisturbed_level(std::vector<double>{0, 0.5, 0.5}, 0.01).mean, 0, 0.02);
}

/// The difference of two processes may be far off on either side.
TEST(DisturbedLevels, OfDifferencesBothTailsAreLong) {
  const std::vector<double> distances{0, 0.01, -0.02, 0.3};
  const LevelMoments found = undisturbed_level(distances, 0.02, Tail::both);
  EXPECT_NEAR(found.ln_evidence, 1.78033285, 1e-7);
  EXPECT_NEAR(found.mean, -0.00283559167, 1e-7);
  EXPECT_NEAR(found.variance, 0.000141160644, 1e-7);
  const std::vector<double> disturbed = disturbed_probabilities(distances, 0.02, Tail::both);
  EXPECT_NEAR(disturbed[0], 0.0108360335, 1e-7);
  EXPECT_NEAR(disturbed[3], 0.999965261, 1e-7);
}

TEST(DisturbedLevels, DriftIsTheMeanOfFourDensities) {
  EXPECT_NEAR(ln_evidence_of_drift(std::vector<double>{0, 0.1, 0.25}, 0.02), -0.0214480134, 1e-9);
  EXPECT_NEAR(ln_evidence_of_drift(std::vector<double>{0, 0.001, -0.002, 0}, 0.003), 10.5855605, 1e-7);
}

/// The posterior of two builds that took turns, with a process each per round.
std::shared_ptr<const ScalesPosterior> in_rounds(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::uint64_t> rounds;
  for (std::size_t i = 0; i < a.size(); ++i) rounds.push_back(i + 1);
  const double degrees = static_cast<double>(a.size()) - 1;
  const std::vector<LevelEvidence> sides{{.degrees = degrees, .logs = a, .rounds = rounds},
                                         {.degrees = degrees, .logs = b, .rounds = rounds}};
  return posterior_of_levels(sides, kHostBound);
}

/// Levels that rise by 10 % from round to round, and a second build that is slower by 5 % in each.
TEST(DisturbedLevels, ADriftIsSeenInRounds) {
  const auto drifting = in_rounds({0, 0.1, 0.2, 0.3}, {0.05, 0.16, 0.24, 0.35});
  EXPECT_NEAR(drifting->drift(), 0.999784372, 1e-6);
  EXPECT_NEAR(drifting->undisturbed_level(), -0.0500000317, 1e-6);
  EXPECT_NEAR(drifting->half_width({.processes = 0.5}, 0.9), 0.0167827818, 1e-6);
  EXPECT_NEAR(drifting->disturbed_rounds()[0], 0.00958617, 1e-6);
  const auto steady = in_rounds({0, 0.01, -0.02}, {0.05, 0.06, 0.055});
  EXPECT_NEAR(steady->drift(), 0.197523746, 1e-6);
  EXPECT_NEAR(steady->undisturbed_level(), -0.0583615832, 1e-6);
  EXPECT_NEAR(steady->half_width({.processes = 2 / 3.0}, 0.9), 0.0201461177, 1e-6);
}

TEST(DisturbedLevels, TwoRoundsShowNoDrift) {
  const auto two = in_rounds({0, 0.1}, {0.05, 0.15});
  EXPECT_EQ(two->drift(), 0);
  EXPECT_TRUE(two->disturbed_rounds().empty());
}

TEST(DisturbedLevels, ThePlaceOfAllDoesNotMatter) {
  const LevelMoments here = undisturbed_level(std::vector<double>{0, 0.02, 0.3}, 0.02),
                     there = undisturbed_level(std::vector<double>{7, 7.02, 7.3}, 0.02);
  EXPECT_NEAR(there.mean, here.mean + 7, 1e-9);
  EXPECT_NEAR(there.variance, here.variance, 1e-12);
  EXPECT_NEAR(there.ln_evidence, here.ln_evidence, 1e-9);
}

}  // namespace
}  // namespace seqpoint::select
