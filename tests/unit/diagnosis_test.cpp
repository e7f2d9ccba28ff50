// What a projection says about its measurements: rules about the times of all points, in costs that the model's
// functions make up, and the next measurement, against what it changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "checked.hpp"
#include "core/findings.hpp"
#include "io/views/diagnosis_text.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"
#include "varied_run.hpp"

namespace seqpoint {
namespace {

using testing::Draw;

/// Points of a run whose cost the model's functions make up, with disturbances of 1 %.
struct Profile {
  select::Selection selection;
  std::vector<profile::ProfileTable> files{1};

  explicit Profile(Draw& draw, std::uint64_t repeats = 3, std::uint64_t points = 8) {
    select::SelectParams params;
    params.points = points;
    selection = select::select(testing::varied_run(300), params);
    files[0].source = "a.csv";
    files[0].key = profile::ProfileTable::Key::point;
    files[0].metrics = {"runtime_s", "loss"};
    for (std::uint64_t r = 0; r < repeats; ++r)
      for (const select::Point& point : selection.points) {
        const auto s = static_cast<double>(point.shape.src_len);
        const double time = (0.1 + 2e-3 * s + 1e-6 * s * s) * (1 + 0.01 * draw.normal());
        files[0].add({.point = point.id}, {time, 1}).line = static_cast<std::uint32_t>(files[0].rows.size() + 2);
      }
  }
  double& time(std::size_t row) { return files[0].values[0][files[0].rows[row].place]; }
  std::vector<Finding> findings() const {
    const project::NamedMeasurements named{"v1", profile::match(files, selection)};
    return testing::checked(selection, named, files);
  }
  findings::Series diagnosed(const findings::DiagnoseParams& params = {}) const {
    const project::NamedMeasurements named{"v1", profile::match(files, selection)};
    return testing::diagnosed(selection, named, files, params).series.at(0);
  }
};

TEST(Diagnosis, OfACleanProfileHasPartsThatAddUp) {
  Draw draw(5);
  const Profile profile(draw);
  EXPECT_TRUE(profile.findings().empty());
  const findings::Series series = profile.diagnosed();
  EXPECT_EQ(series.measurements, 24U);
  const findings::Width& width = series.width.value();
  EXPECT_NEAR(
      width.iterations + width.measurements + width.between + width.missed + width.own + width.between_processes, 1,
      1e-12);
  double points = 0;
  for (const findings::PointPart& point : width.points) points += point.share;
  EXPECT_NEAR(points, width.iterations + width.measurements, 1e-12);
}

/// The only finding about the profile; without an id if there are none or several.
Finding only_finding(const Profile& profile) {
  const std::vector<Finding> found = profile.findings();
  EXPECT_EQ(found.size(), 1U);
  return found.size() == 1 ? found[0] : Finding{};
}

TEST(OrderOfTimes, AFirstRoundThatIsSlowerIsASlowStart) {
  Draw draw(5);
  Profile profile(draw);
  for (std::size_t r = 0; r < 8; ++r) profile.time(r) *= 1.1;
  const Finding found = only_finding(profile);
  EXPECT_EQ(found.kind.id, findings::kSlowStart.id);
  EXPECT_NEAR(std::get<double>(found.figures.at(0).second), 0.1, 0.03);
  const std::string said = io::views::message_of(found);
  EXPECT_TRUE(said.starts_with("v1: a.csv:2: field 'runtime_s': the first measurement of a point takes ")) << said;
  EXPECT_TRUE(said.ends_with(" longer than later ones")) << said;
}

TEST(OrderOfTimes, AFirstRoundThatIsHardlySlowerIsNone) {
  Draw draw(5);
  Profile profile(draw);
  for (std::size_t r = 0; r < 8; ++r) profile.time(r) *= 1.03;
  EXPECT_TRUE(profile.findings().empty());
}

// Of six points twice, the first are the longest once in 64 orders.
TEST(OrderOfTimes, AFewFirstTimesMayBeTheLongestByChance) {
  Draw draw(5);
  Profile six(draw, 2, 6), ten(draw, 2, 10);
  for (std::size_t r = 0; r < 6; ++r) six.time(r) *= 1.3;
  for (std::size_t r = 0; r < 10; ++r) ten.time(r) *= 1.3;
  EXPECT_TRUE(six.findings().empty());
  EXPECT_EQ(only_finding(ten).kind.id, findings::kSlowStart.id);
}

TEST(OrderOfTimes, OneFirstTimeThatIsNotTheLongestIsNoSlowStart) {
  Draw draw(5);
  Profile profile(draw);
  for (std::size_t r = 1; r < 8; ++r) profile.time(r) *= 1.3;
  profile.time(0) *= 0.5;
  for (const Finding& found : profile.findings()) EXPECT_NE(found.kind.id, findings::kSlowStart.id);
}

// Five points three times, which are too few for ranks: in one of 6^5 = 7,776 orders all of them grow.
TEST(OrderOfTimes, TimesThatGrowFromEachToTheNextAreADrift) {
  Draw draw(5);
  Profile profile(draw, 3, 5);
  for (std::size_t r = 0; r < 15; ++r) profile.time(r) *= 1 + static_cast<double>(r) / 15;
  const Finding found = only_finding(profile);
  EXPECT_EQ(found.kind.id, findings::kDrift.id);
  EXPECT_NEAR(std::get<double>(found.figures.at(0).second), 0.59, 0.03) << "the third point: 27 over 17 of 15";
}

TEST(OrderOfTimes, OneTimeThatIsNotLongerIsNoGrowth) {
  Draw draw(5);
  Profile profile(draw, 3, 5), few(draw, 3, 3);
  for (std::size_t r = 0; r < 15; ++r) profile.time(r) *= 1 + static_cast<double>(r) / 15;
  profile.time(14) = profile.time(9);
  EXPECT_TRUE(profile.findings().empty());
  for (std::size_t r = 0; r < 9; ++r) few.time(r) *= 1 + static_cast<double>(r) / 9;
  EXPECT_TRUE(few.findings().empty()) << "one in 216 orders";
}

/// The half-width that is expected, as a share of the current one.
double expected_ratio(const findings::Series& series) {
  return (series.next->expected->high - series.total) / (series.interval->high - series.total);
}

TEST(Diagnosis, OfNoisyMeasurementsMoreProcessesAreNext) {
  Draw draw(10);
  const Profile profile(draw, 1, 4);  // on a device that is busy: else most of the width is of processes
  const findings::Series series = profile.diagnosed({.metrics = {}, .between_processes = 0.0025});
  ASSERT_TRUE(series.next && series.width && series.next->expected);
  EXPECT_EQ(series.next->what, findings::NextStep::What::more_processes);
  const double measured = series.width->iterations + series.width->measurements;
  EXPECT_GT(measured, series.width->between_processes);
  EXPECT_NEAR(expected_ratio(series), std::sqrt(1 - measured / 2 - series.width->between_processes / 2 / 2), 1e-9);
}

// Of a profile of one process the level of processes is most of the width, unless points are few.
TEST(Diagnosis, OfManyPointsInOneProcessMoreProcessesAreNext) {
  Draw draw(10);
  const findings::Series series = Profile(draw).diagnosed();
  ASSERT_TRUE(series.next && series.width);
  EXPECT_EQ(series.next->what, findings::NextStep::What::more_processes);
  EXPECT_GT(series.width->between_processes, 0.5);
  EXPECT_EQ(series.width->processes, 1U);
  // A second one halves what the level of the first adds, and the noise of its measurements; that of the run stays.
  EXPECT_EQ(series.next->processes, 1U);
  ASSERT_TRUE(series.next->expected);
  const double measured = series.width->iterations + series.width->measurements;
  EXPECT_NEAR(expected_ratio(series), std::sqrt(1 - measured / 2 - series.width->between_processes / 2 / 2), 1e-9);
}

}  // namespace
}  // namespace seqpoint
