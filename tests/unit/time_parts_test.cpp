// Where time goes and where it differs, by figures worked out by hand.
#include "core/project/time_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/project/measured_points.hpp"
#include "core/project/projection.hpp"

namespace seqpoint {
namespace {

using project::Phase;

using project::PartsOfProcess;
using project::TimeParts;

const std::vector<project::LengthRange> kNoRanges;

/// As many processes as there are rounds, each with these seconds of two phases, whose means are those of the total.
struct TwoPhases {
  std::vector<Phase> phases{{.column = "forward_s"}, {.column = "backward_s"}};
  std::vector<PartsOfProcess> processes;

  explicit TwoPhases(const std::vector<std::vector<double>>& by_round) {
    for (const std::vector<double>& seconds : by_round) {
      processes.push_back({.round = processes.size() + 1, .phases = seconds, .ranges = {}});
      for (std::size_t i = 0; i < phases.size(); ++i)
        phases[i].seconds += seconds[i] / static_cast<double>(by_round.size());
    }
  }
  TimeParts parts() const { return {phases, kNoRanges, processes, select::kHostBound}; }
};

const TwoPhases kBase({{10, 30}, {10.1, 30.2}, {9.9, 29.8}});

// Backward takes 6, 6.2 and 5.8 of 40 s longer.
TEST(PhaseDifference, IsTheMeanOverRoundsOfTheWholeTime) {
  const TwoPhases slower({{10, 36}, {10.1, 36.4}, {9.9, 35.6}});
  const auto found = phase_differences(kBase.parts(), slower.parts(), 0.95, true);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].column, "backward_s") << "causes come first";
  EXPECT_NEAR(found[0].change, 0.15, 1e-12);
  ASSERT_TRUE(found[0].interval);
  EXPECT_NEAR(found[0].interval->high - 0.15, 0.15 - found[0].interval->low, 1e-12);
  EXPECT_TRUE(found[0].is_cause);
  EXPECT_NEAR(found[1].change, 0, 1e-12);
  EXPECT_FALSE(found[1].is_cause);
}

// The total of the slower build leaves out its third process, which something slowed: 10 + 36 s beside 10 + 30 s.
TEST(PhaseDifference, AddUpToTheChangeOfTheTotals) {
  TwoPhases slower({{10, 36}, {10.1, 36.4}, {20, 72}});
  slower.phases[0].seconds = 10;
  slower.phases[1].seconds = 36;
  const auto found = phase_differences(kBase.parts(), slower.parts(), 0.95, true);
  EXPECT_NEAR(found[0].change + found[1].change, 6.0 / 40, 1e-12);
  for (const project::PhaseDifference& one : found) {
    const double of_rounds = one.column == "forward_s" ? (40.1 - 30) / 3 / 40 : (144.4 - 90) / 3 / 40;
    ASSERT_TRUE(one.interval);
    EXPECT_LT(one.interval->low, one.change);
    EXPECT_GT(one.interval->high, of_rounds) << "what the rounds say stays in it";
  }
}

TEST(PhaseDifference, IsNoCauseBeforeTheThirdRound) {
  const TwoPhases base({{10, 30}, {10.1, 30.2}}), slower({{10, 36}, {10.1, 36.4}});
  const auto found = phase_differences(base.parts(), slower.parts(), 0.95, true);
  EXPECT_FALSE(found[0].is_cause);
  EXPECT_FALSE(found[0].interval);
}

TEST(PhaseDifference, IsNoCauseIfProcessesDisagree) {
  const TwoPhases slower({{10, 36}, {10.1, 36.4}, {9.9, 35.6}});
  EXPECT_FALSE(phase_differences(kBase.parts(), slower.parts(), 0.95, false)[0].is_cause);
}

TEST(PhaseDifference, IsNoCauseIfARoundSaysTheOpposite) {
  const TwoPhases other({{10, 50}, {10, 50}, {9.9, 29.7}});
  EXPECT_FALSE(phase_differences(kBase.parts(), other.parts(), 0.95, true)[0].is_cause);
}

// 0.9 % of the whole time, in every round.
TEST(PhaseDifference, IsNoCauseBelowAPercent) {
  const TwoPhases other({{10, 30.36}, {10.1, 30.56}, {9.9, 30.16}});
  const project::PhaseDifference found = phase_differences(kBase.parts(), other.parts(), 0.95, true)[0];
  EXPECT_NEAR(found.change, 0.009, 1e-9);
  EXPECT_FALSE(found.is_cause);
}

TEST(PhaseDifference, ARoundWithoutOneOfItsProcessesDoesNotCount) {
  TwoPhases slower({{10, 36}, {10.1, 36.4}, {9.9, 35.6}});
  slower.processes.back().round = 4;
  EXPECT_EQ(rounds_with_phases(kBase.parts(), slower.parts()), 2u);
  EXPECT_FALSE(phase_differences(kBase.parts(), slower.parts(), 0.95, true)[0].is_cause);
}

TEST(PhaseDifference, OtherPhasesAreNotCompared) {
  TwoPhases other({{10, 36}, {10.1, 36.4}, {9.9, 35.6}});
  other.phases[1].column = "step_s";
  EXPECT_TRUE(phase_differences(kBase.parts(), other.parts(), 0.95, true).empty());
}

/// Half-widths are those of SciPy's root finder for the same mixture.
TEST(DifferencesByRound, HalfWidthsAreThoseOfTheMixture) {
  struct Case {
    std::vector<double> before, after;
    select::BetweenProcesses between;
    double half_width;
  };
  for (const Case& one : {Case{{0.275, 0.27, 0.2725}, {0.325, 0.33, 0.3275}, {0.0025, 1.5}, 0.007190641611},
                          Case{{0.475, 0.51, 0.47}, {0.525, 0.49, 0.53}, {0.02, 0.8}, 0}}) {
    const std::vector<project::PartByRound> parts{{one.before, one.after}};
    const auto found = project::differences_by_round(parts, 1, one.between, 0.95, true);
    if (one.half_width > 0) {
      EXPECT_NEAR(*found[0].half_width, one.half_width, 1e-7);
    }
    EXPECT_EQ(found[0].is_cause, one.half_width > 0) << "rounds of both signs name nothing";
  }
}

/// Points of batches of 2 at these lengths, with weights.
select::Selection points_at(const std::vector<std::pair<std::uint32_t, int>>& lengths) {
  select::Selection selection;
  for (const auto& [length, weight] : lengths) {
    const auto n = selection.points.size();
    selection.points.push_back(
        {"sp" + std::to_string(n + 1), {length, 0, 2}, {weight * select::Weight::kUnit}, {n}, {}});
    const auto count = static_cast<std::uint64_t>(weight);
    selection.run.histogram.push_back({{length, 0, 2}, count});
    selection.run.iterations += count;
    selection.run.samples += 2 * count;
    selection.run.padded_tokens += 2 * count * length;
  }
  return selection;
}

/// Times by point, then by process.
project::MeasuredPoints times_of(const std::vector<std::vector<double>>& times) {
  project::MeasuredPoints points;
  for (const std::vector<double>& of_point : times) {
    points.counts.points.push_back(points.values.size());
    auto& readings = points.readings.emplace_back();
    double sum = 0;
    for (std::size_t process = 0; process < of_point.size(); ++process) {
      readings.push_back({of_point[process], 1, process});
      sum += of_point[process];
    }
    points.values.push_back(sum / static_cast<double>(of_point.size()));
  }
  return points;
}

const select::Selection kThirds = points_at({{10, 4}, {20, 2}, {40, 1}});

TEST(TimesByLength, EachRangeHasAThirdOfTheWork) {
  const auto ranges = ranges_by_length(kThirds, times_of({{1, 1}, {2, 2}, {4, 4}}));
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].above, 0);
  EXPECT_EQ(ranges[0].up_to, 15);
  EXPECT_EQ(ranges[1].up_to, 30);
  EXPECT_EQ(ranges[2].above, 30);
  EXPECT_TRUE(std::isinf(ranges[2].up_to));
  EXPECT_EQ(ranges[1].seconds, 4);
}

TEST(TimesByLength, AreNotKnownOfFewLengthsOrPoints) {
  EXPECT_TRUE(ranges_by_length(points_at({{10, 4}}), times_of({{1, 1}})).empty());
  EXPECT_TRUE(ranges_by_length(points_at({{1, 1}, {50, 100}}), times_of({{1}, {1}})).empty());
  EXPECT_TRUE(ranges_by_length(kThirds, times_of({{1, 1}, {2, 2}})).empty());
}

/// Three ranges with these seconds in each round; those of the run are of the first.
struct ThreeRanges {
  std::vector<project::LengthRange> ranges{{.above = 0, .up_to = 15}, {.above = 15, .up_to = 30}, {.above = 30}};
  std::vector<Phase> none;
  std::vector<PartsOfProcess> processes;

  explicit ThreeRanges(const std::vector<std::vector<double>>& by_round) {
    for (std::size_t i = 0; i < 3; ++i) ranges[i].seconds = by_round[0][i];
    for (const std::vector<double>& seconds : by_round)
      processes.push_back({.round = processes.size() + 1, .phases = {}, .ranges = seconds});
  }
  TimeParts parts() const { return {none, ranges, processes, select::kHostBound}; }
};

// A process slows all lengths alike, so a build that is a third slower in all of them differs in none.
TEST(DifferencesByLength, AreBesideTheOtherLengths) {
  const ThreeRanges base({{4, 4, 4}, {3, 3, 3}, {5, 5, 5}}), slower({{6, 6, 6}, {4, 4, 4}, {7, 7, 7}}),
      longer({{4, 4, 6}, {3, 3, 4.5}, {5, 5, 7.5}});
  for (const auto& range : length_differences(base.parts(), slower.parts(), 0.95, true)) EXPECT_FALSE(range.is_cause);
  const auto found = length_differences(base.parts(), longer.parts(), 0.95, true);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[2].is_cause);
  EXPECT_NEAR(found[2].share, 1 / 3.0, 1e-12);
  EXPECT_NEAR(found[2].change, 0.5, 1e-12);
  EXPECT_NEAR(found[2].change_of_others, 0, 1e-12);
  ASSERT_TRUE(found[2].interval);
  EXPECT_NEAR((found[2].interval->low + found[2].interval->high) / 2, 0.5 / 3, 1e-12);
}

TEST(DifferencesByLength, TwoRoundsShowNone) {
  const ThreeRanges base({{4, 4, 4}, {3, 3, 3}}), longer({{4, 4, 6}, {3, 3, 4.5}});
  for (const auto& range : length_differences(base.parts(), longer.parts(), 0.95, true)) {
    EXPECT_FALSE(range.is_cause);
    EXPECT_FALSE(range.interval);
  }
}

/// A configuration measured in three processes, the second `factor` times as slow; a batch is 1/4 forward, 3/4
/// backward.
project::NamedMeasurements measured(const std::string& name, const select::Selection& selection, double backward,
                                    double factor) {
  project::NamedMeasurements all{name, {}};
  all.measurements.process_names = {"a", "b", "c"};
  all.measurements.metrics = {"runtime_s", "wait_s", "forward_s", "backward_s", "optimizer_s", "other_s"};
  all.measurements.readings.resize(6);
  for (const select::Point& point : selection.points) {
    const double length = point.shape.src_len;
    const std::vector<double> parts{0, length, backward * 3 * length, 0, 1};
    double sum = 0;
    for (const double part : parts) sum += part;
    for (std::size_t m = 0; m < 6; ++m) {
      const double value = m == 0 ? sum : parts[m - 1];
      all.measurements.readings[m].push_back(
          {{value, point.iterations[0], 0}, {value * factor, point.iterations[0], 1}, {value, point.iterations[0], 2}});
    }
  }
  return all;
}

TEST(TimeParts, AddUpToTheTotalAndNameWhatIsSlower) {
  const select::Selection selection = points_at({{10, 4}, {20, 2}, {40, 1}});
  const std::vector<project::NamedMeasurements> builds{measured("old", selection, 1, 1.001),
                                                       measured("new", selection, 1.3, 1.001)};
  project::ProjectParams params;
  params.metrics = {"runtime_s"};
  params.time_parts = true;
  const project::Projection p = project::project(selection, builds, params);
  for (const project::ConfigurationProjection& c : p.configurations) {
    double sum = 0;
    for (const Phase& phase : c.phases) sum += phase.seconds;
    EXPECT_NEAR(sum, c.metrics.at(0).value, 1e-9 * sum);
  }
  // 120 s of lengths x 4, and 7 s; backward 3 x 120 s of them.
  EXPECT_NEAR(p.configurations[0].phases.at(2).share, 360 / 487.0, 1e-9);
  const auto& differences = p.configurations[1].phase_differences;
  ASSERT_EQ(differences.size(), 5u);
  EXPECT_EQ(differences[0].column, "backward_s");
  EXPECT_TRUE(differences[0].is_cause);
  EXPECT_FALSE(differences[1].is_cause);
  EXPECT_TRUE(p.configurations[0].phase_differences.empty());
}

TEST(TimeParts, AreNotAskedForByAllMetrics) {
  const select::Selection selection = points_at({{10, 4}, {20, 2}, {40, 1}});
  const std::vector<project::NamedMeasurements> one{measured("old", selection, 1, 1.001)};
  const project::Projection p = project::project(selection, one, {});
  EXPECT_TRUE(p.configurations[0].phases.empty());
  ASSERT_EQ(p.configurations[0].metrics.size(), 1u);
  EXPECT_EQ(p.configurations[0].metrics[0].name, "runtime_s");
  project::ProjectParams params;
  params.metrics = {"backward_s"};
  const project::Projection asked = project::project(selection, one, params);
  EXPECT_EQ(asked.configurations[0].metrics.at(0).name, "backward_s");
}

}  // namespace
}  // namespace seqpoint
