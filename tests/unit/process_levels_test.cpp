// What processes tell of each other: by hand for those that measured alike, and where they did not.

#include <gtest/gtest.h>

#include "core/numbers.hpp"
#include "core/profile/readings.hpp"
#include "core/project/measured_points.hpp"

namespace seqpoint {
namespace {

profile::Reading reading(std::size_t process, std::uint64_t iteration, double value) {
  return {value, iteration, process};
}

project::MeasuredPoints measured(const std::vector<std::vector<profile::Reading>>& readings) {
  project::MeasuredPoints points;
  for (const auto& of_point : readings) {
    double sum = 0;
    for (const profile::Reading& one : of_point) sum += one.value;
    points.counts.points.push_back(points.values.size());
    points.counts.iterations.push_back(static_cast<double>(of_point.size()));
    points.counts.measurements.push_back(static_cast<double>(of_point.size()));
    points.values.push_back(sum / static_cast<double>(of_point.size()));
  }
  points.readings = readings;
  return points;
}

const Eigen::Vector2d kWeights(0.75, 0.25), kSizes(0.8, 1.6);

project::ProcessLevels levels_of(const project::MeasuredPoints& points) {
  return project::process_levels(points, kWeights, kSizes);
}

// The second process is 4 % slower: both are 2 / 102 from their mean.
TEST(ProcessLevels, OfProcessesThatMeasuredAlikeAreTheirProjectionsAboutTheMean) {
  const project::ProcessLevels levels =
      levels_of(measured({{reading(0, 1, 2), reading(1, 2, 2.08)}, {reading(0, 3, 5), reading(1, 4, 5.2)}}));
  const select::ModelConstants constants;
  EXPECT_DOUBLE_EQ(levels.shares, 0.5);
  EXPECT_NEAR(levels.deviations.at(0), -2 / 102.0, 1e-12);
  EXPECT_NEAR(levels.deviations.at(1), 2 / 102.0, 1e-12);
  EXPECT_EQ(levels.evidence.degrees, 1);
  EXPECT_NEAR(levels.evidence.squares, 2 * (2 / 102.0) * (2 / 102.0), 1e-12);
  const double once = constants.disturbance_variance(1, 1);
  EXPECT_NEAR(levels.evidence.noise, (0.36 + 0.16) * once, 1e-12) << "(0.75 x 0.8)^2 + (0.25 x 1.6)^2";
}

TEST(ProcessLevels, OfOneProcessOrOfUnknownOnesNothingIsTold) {
  for (const project::MeasuredPoints& points :
       {measured({{reading(0, 1, 2), reading(0, 2, 2.1)}, {reading(0, 3, 5)}}), project::MeasuredPoints{}}) {
    const project::ProcessLevels levels = levels_of(points);
    EXPECT_EQ(levels.shares, 1);
    EXPECT_EQ(levels.evidence.degrees, 0);
    EXPECT_TRUE(levels.deviations.empty());
  }
}

// Each measured a point of its own: nothing tells them apart, and their parts are those of the points' costs.
TEST(ProcessLevels, OfProcessesWithoutACommonPointOnlyTheirPartsAreKnown) {
  const project::ProcessLevels levels = levels_of(measured({{reading(0, 1, 2)}, {reading(1, 3, 6)}}));
  EXPECT_NEAR(levels.shares, 2 * 0.25, 1e-12) << "0.75 x 2 and 0.25 x 6 are equal parts";
  EXPECT_EQ(levels.evidence.degrees, 0);
}

TEST(ProcessLevels, IterationsOfAPointDeviateWithoutTheLevels) {
  const project::MeasuredPoints points =
      measured({{reading(0, 1, 2), reading(1, 2, 2.08)}, {reading(0, 3, 5), reading(1, 4, 5.2)}});
  for (const auto& of_point : project::deviations_of(points, levels_of(points))) {
    ASSERT_EQ(of_point.size(), 2U);
    EXPECT_NEAR(of_point[0].second, 0, 1e-12);
  }
  for (const auto& of_point : project::deviations_of(points, {})) {
    ASSERT_EQ(of_point.size(), 2U);
    EXPECT_NEAR(of_point[1].second, 2 / 102.0, 1e-12);
  }
}

TEST(ProcessLevels, AnIterationThatIsNotKnownTellsNothingOfOthers) {
  project::MeasuredPoints points = measured({{reading(0, 1, 2), reading(0, 2, 2.1)}});
  points.readings[0][1].iteration.reset();
  EXPECT_TRUE(project::deviations_of(points, {}).at(0).empty());
}

TEST(ProcessNumber, IsOfAProcessWhereTheTextNamesOne) {
  using profile::number_of_process;
  ASSERT_TRUE(number_of_process("p7-1f2e3d4c"));
  EXPECT_EQ(number_of_process("p7-1f2e3d4c"), number_of_process("p7-1f2e3d4c"));
  EXPECT_NE(number_of_process("p7-1f2e3d4c"), number_of_process("p8-1f2e3d4c"));
  EXPECT_TRUE(profile::is_of_process(*number_of_process("tuesday")));
  EXPECT_FALSE(number_of_process("12"));
  EXPECT_FALSE(profile::is_of_process(1'000'000));
}

}  // namespace
}  // namespace seqpoint
