// Where time goes and where it differs, by figures worked out by hand; quantiles of Student's t from printed tables.
#include "core/project/time_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/distributions.hpp"
#include "core/project/measured_points.hpp"
#include "core/project/projection.hpp"

namespace seqpoint {
namespace {

using project::Interval;
using project::Phase;

TEST(StudentsT, BoundsAreThoseOfTables) {
  EXPECT_NEAR(two_sided_t_bound(0.05, 1), 12.7062, 1e-4);
  EXPECT_NEAR(two_sided_t_bound(0.05, 4), 2.776445, 1e-6);
  EXPECT_NEAR(two_sided_t_bound(0.025, 2), 6.205347, 1e-6);
}

// Backward is 60 of 100 s. 1 / 0.8 is 25 % more, and 60 % of that 15 %.
TEST(PhaseDifference, IsAShareOfTheWholeTime) {
  const Phase base{.column = "backward_s", .seconds = 60}, here{.column = "backward_s", .seconds = 70};
  const project::PhaseDifference found = difference_of(base, here, 100, 0.8, Interval{0.75, 0.96});
  EXPECT_NEAR(found.change, 0.15, 1e-12);
  ASSERT_TRUE(found.interval);
  EXPECT_NEAR(found.interval->low, 0.6 * (1 / 0.96 - 1), 1e-12);
  EXPECT_NEAR(found.interval->high, 0.2, 1e-12);
  EXPECT_TRUE(found.is_cause);
}

TEST(PhaseDifference, ThatMayBeZeroIsNoCause) {
  const Phase phase{.column = "wait_s", .seconds = 10};
  EXPECT_FALSE(difference_of(phase, phase, 100, 0.9, Interval{0.8, 1.01}).is_cause);
  EXPECT_FALSE(difference_of(phase, phase, 100, 0.9999, Interval{0.9998, 0.99995}).is_cause)
      << "it is printed as 0.0 %";
}

TEST(PhaseDifference, WithoutARatioItIsTheSeconds) {
  const Phase none{.column = "wait_s", .seconds = 0}, some{.column = "wait_s", .seconds = 5};
  const project::PhaseDifference found = difference_of(none, some, 100, 0, std::string("a total is zero"));
  EXPECT_NEAR(found.change, 0.05, 1e-12);
  EXPECT_FALSE(found.interval);
  EXPECT_FALSE(found.is_cause);
}

TEST(PhaseDifference, CausesComeFirst) {
  std::vector<project::PhaseDifference> found{{.column = "a", .change = 0.1, .interval = {}},
                                              {.column = "b", .change = -0.01, .interval = {}, .is_cause = true},
                                              {.column = "c", .change = -0.2, .interval = {}}};
  project::sort_by_size(found);
  EXPECT_EQ(found[0].column + found[1].column + found[2].column, "bca");
}

TEST(PhaseDifference, OtherPhasesAreNotCompared) {
  EXPECT_TRUE(project::differences_of({{.column = "forward_s"}}, {{.column = "step_s"}}).empty());
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
  const auto times = times_by_length(kThirds, times_of({{1, 1}, {2, 2}, {4, 4}}));
  ASSERT_EQ(times.ranges.size(), 3u);
  EXPECT_EQ(times.ranges[0].above, 0);
  EXPECT_EQ(times.ranges[0].up_to, 15);
  EXPECT_EQ(times.ranges[1].up_to, 30);
  EXPECT_EQ(times.ranges[2].above, 30);
  EXPECT_TRUE(std::isinf(times.ranges[2].up_to));
  EXPECT_EQ(times.ranges[1].seconds, 4);
  EXPECT_NEAR(times.ranges[2].contrast, std::log(4) - std::log(2) / 2, 1e-12);
  EXPECT_NEAR(times.ranges[2].leverage, 1.5, 1e-12);
}

// Logarithms +-d at one point and none at the others: the level of a process is d / 3.
TEST(TimesByLength, NoiseIsWithoutLevels) {
  const double d = 0.03;
  const auto times = times_by_length(kThirds, times_of({{std::exp(d), std::exp(-d)}, {2, 2}, {4, 4}}));
  EXPECT_NEAR(times.squares, 2 * (4 / 9.0 + 1 / 9.0 + 1 / 9.0) * d * d, 1e-12);
  EXPECT_EQ(times.degrees, 2);
}

TEST(TimesByLength, AreNotKnownOfFewLengthsOrPoints) {
  EXPECT_TRUE(times_by_length(points_at({{10, 4}}), times_of({{1, 1}})).ranges.empty());
  EXPECT_TRUE(times_by_length(points_at({{1, 1}, {50, 100}}), times_of({{1}, {1}})).ranges.empty());
  EXPECT_TRUE(times_by_length(kThirds, times_of({{1, 1}, {2}, {4, 4}})).ranges.empty());
  EXPECT_TRUE(times_by_length(kThirds, times_of({{1, 1}, {2, 2}})).ranges.empty());
}

// Processes differ by a third: their levels cancel.
TEST(DifferencesByLength, LevelsOfProcessesAreNone) {
  const auto base = times_by_length(kThirds, times_of({{3, 4}, {6, 8}, {12, 16}})),
             slower = times_by_length(kThirds, times_of({{6, 5}, {12, 10}, {24, 20}})),
             longer = times_by_length(kThirds, times_of({{3, 4}, {6, 8}, {14.4, 19.2}}));
  for (const auto& range : differences_by_length(base, slower, 0.95)) EXPECT_FALSE(range.is_cause);
  const auto found = differences_by_length(base, longer, 0.95);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[2].is_cause);
  EXPECT_NEAR(found[2].change, 0.2, 1e-12);
  EXPECT_NEAR(found[2].change_of_others, 0, 1e-12);
  EXPECT_NEAR(found[2].relative.low, 0.2, 1e-6);
}

// Of both builds: squares 0.0072 / 2 each, 4 degrees; t of 5 % / 3 on either side is 3.9608.
TEST(DifferencesByLength, IntervalsAreStudents) {
  project::TimesByLength base{.ranges = {{.above = 0, .seconds = 1, .contrast = 0, .leverage = 1.5},
                                         {.above = 1, .seconds = 1, .leverage = 1.5},
                                         {.above = 2, .seconds = 1, .leverage = 1.5}},
                              .processes = 2,
                              .squares = 0.0036,
                              .degrees = 2};
  const auto found = differences_by_length(base, base, 0.95);
  ASSERT_EQ(found.size(), 3u);
  const double half = two_sided_t_bound(0.05 / 3, 4) * std::sqrt(0.0072 / 4 * 1.5);
  EXPECT_NEAR(two_sided_t_bound(0.05 / 3, 4), 3.9608, 1e-4);
  EXPECT_NEAR(found[0].relative.high, std::expm1(half), 1e-12);
  EXPECT_FALSE(found[0].is_cause);
}

TEST(DifferencesByLength, OneProcessShowsNone) {
  const auto one = times_by_length(kThirds, times_of({{1}, {2}, {4}}));
  EXPECT_TRUE(differences_by_length(one, one, 0.95).empty());
}

/// A configuration measured in two processes, the second `factor` times as slow; a batch is 1/4 forward, 3/4 backward.
project::NamedMeasurements measured(const std::string& name, const select::Selection& selection, double backward,
                                    double factor) {
  project::NamedMeasurements all{name, {}};
  all.measurements.process_names = {"a", "b"};
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
          {{value, point.iterations[0], 0}, {value * factor, point.iterations[0], 1}});
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
