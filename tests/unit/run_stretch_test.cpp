// Consecutive batches of a process, compared with what its points predict.
#include "core/project/stretch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/project/measured_points.hpp"
#include "core/select/select.hpp"
#include "io/views/diagnosis_text.hpp"
#include "varied_run.hpp"

namespace seqpoint::project {
namespace {

double cost(const trace::Shape& shape) { return 0.02 + 1e-5 * static_cast<double>(shape.padded_tokens()); }

/// A process that measured its points without noise.
struct Process {
  trace::Trace epoch = testing::varied_run(400);
  select::Selection selection;
  project::NamedMeasurements measured{"run", {}};
  std::set<trace::Shape> known;

  Process() {
    select::SelectParams params;
    params.points = 10;
    selection = select::select(epoch, params);
    profile::Measurements& all = measured.measurements;
    all.metrics = {std::string(kStretchMetric)};
    all.readings.emplace_back();
    for (const select::Point& point : selection.points) {
      all.readings[0].push_back({{cost(point.shape), point.iterations.front()}});
      known.insert(point.shape);
    }
  }
  /// The first batches of the epoch, each `factor` times its cost.
  trace::Trace batches(std::size_t count, double factor) const {
    trace::Trace part;
    part.kind = epoch.kind;
    part.shapes.assign(epoch.shapes.begin(), epoch.shapes.begin() + static_cast<std::ptrdiff_t>(count));
    part.metrics.push_back({std::string(kStretchMetric), {}});
    for (const trace::Shape& shape : part.shapes) part.metrics[0].values.push_back(factor * cost(shape));
    return part;
  }
  std::optional<Stretch> compared(const trace::Trace& batches) const {
    profile::Measurements measurements = measured.measurements;
    const ConsecutiveBatches ran{.process = 0, .batches = batches, .known = known};
    const std::vector<Stretch> found = add_stretches(selection, measurements, std::span(&ran, 1), {});
    return found.empty() ? std::nullopt : std::optional(found.front());
  }
};

TEST(Stretch, AgreesIfItsBatchesCostWhatPointsOfTheirShapesDo) {
  const Process process;
  const trace::Trace batches = process.batches(20, 1);
  const std::optional<Stretch> found = process.compared(batches);
  ASSERT_TRUE(found);
  double seconds = 0;
  for (const trace::Shape& shape : batches.shapes) seconds += cost(shape);
  EXPECT_EQ(found->batches, 20U);
  EXPECT_NEAR(found->took_s, seconds, 1e-9);
  EXPECT_NEAR(found->predicted_s, seconds, 0.005 * seconds);
  EXPECT_FALSE(found->is_off());
}

TEST(Stretch, IsOffIfBatchesInARowTakeHalfAsMuchAgainOrTwoThirds) {
  const Process process;
  EXPECT_TRUE(process.compared(process.batches(20, 1.5))->is_off());
  EXPECT_TRUE(process.compared(process.batches(20, 1 / 1.5))->is_off());
}

// On an accelerator that is the bottleneck, processes and stretches differ by 0.25 % instead of 2 %.
TEST(Stretch, IsOffBySmallerDifferencesWhereTheDeviceIsTheBottleneck) {
  Process process;
  const trace::Trace batches = process.batches(20, 1.2);
  EXPECT_FALSE(process.compared(batches)->is_off());
  process.measured.measurements.device_busy = 0.95;
  EXPECT_TRUE(process.compared(batches)->is_off());
}

// Each point's first execution took 0.5 s more. Three batches, of two shapes that the process did not run before: the
// prediction has their cold start once each, and none or twice that is as expected. A stretch without it denies it.
TEST(Stretch, ExpectsTheColdStartOfShapesThatTheProcessDidNotRun) {
  Process process;
  for (std::size_t p = 0; p < process.selection.points.size(); ++p)
    process.measured.measurements.first_executions.push_back(
        {.point = p, .value = cost(process.selection.points[p].shape) + 0.5});
  trace::Trace batches = process.batches(1, 1);
  process.known.erase(batches.shapes[0]);
  trace::Shape other = batches.shapes[0];
  other.src_len += 1;
  process.known.erase(other);
  batches.shapes.insert(batches.shapes.end(), {other, other});
  batches.metrics[0].values = {cost(other) + 0.5, cost(other) + 0.5, cost(other)};
  const Stretch steady = *process.compared(batches);
  EXPECT_NEAR(steady.predicted_s, 3 * cost(other) + 2 * 0.5, 0.01);
  EXPECT_FALSE(steady.is_off());
  batches.metrics[0].values[0] += 1;
  EXPECT_FALSE(process.compared(batches)->is_off());
  batches.metrics[0].values[0] += 0.5;
  EXPECT_TRUE(process.compared(batches)->is_off());
  batches.metrics[0].values = {cost(other), cost(other), cost(other)};
  EXPECT_NEAR(process.compared(batches)->predicted_s, 3 * cost(other), 0.01);
}

TEST(Stretch, HasNoVerdictWithoutATimeOfEveryBatch) {
  const Process process;
  trace::Trace batches = process.batches(3, 1);
  batches.metrics[0].values[1] = 0;
  EXPECT_FALSE(process.compared(batches));
  batches.metrics.clear();
  EXPECT_FALSE(process.compared(batches));
}

TEST(Stretch, AFindingNamesTheLikelyCauses) {
  const Stretch slower{.batches = 20, .predicted_s = 4, .took_s = 5, .expected = project::Interval{3.5, 4.5}},
      faster{.batches = 20, .predicted_s = 4, .took_s = 3, .expected = project::Interval{3.5, 4.5}};
  EXPECT_EQ(io::views::message_of(stretch_finding(slower, "run-1.stretch.csv")),
            "run-1.stretch.csv: 20 batches in a row took 5 s, 25 % longer than the points predict (3.5 to 4.5 s)");
  EXPECT_EQ(io::views::message_of(stretch_finding(faster, "run-1.stretch.csv")),
            "run-1.stretch.csv: 20 batches in a row took 3 s, 25 % less than the points predict (3.5 to 4.5 s)");
}

/// The epoch of a process whose stretch takes `factor` times what its points predict.
project::Projection projected(double factor) {
  Process process;
  const ConsecutiveBatches ran{.process = 0, .batches = process.batches(20, factor), .known = process.known};
  process.measured.measurements.process_names = {"run"};
  add_stretches(process.selection, process.measured.measurements, std::span(&ran, 1), {});
  return project(process.selection, std::span(&process.measured, 1), {});
}

TEST(Stretch, IsAPartOfTheEstimate) {
  const double as_predicted = projected(1).configurations[0].metrics[0].value;
  const MetricProjection slower = projected(1.3).configurations[0].metrics[0];
  EXPECT_GT(slower.value, 1.02 * as_predicted);
  EXPECT_LT(slower.value, 1.3 * as_predicted);
  EXPECT_GT(slower.interval->high, 1.3 * as_predicted);
  EXPECT_LT(slower.interval->low, as_predicted);
}

TEST(Stretch, OfMoreThanOneAndAHalfTimesThePointsIsNoBias) {
  EXPECT_FALSE(projected(1.4).configurations[0].apart);
  for (const double factor : {1.6, 1 / 1.6}) {
    const project::ConfigurationProjection apart = projected(factor).configurations[0];
    const double by_points = projected(1).configurations[0].metrics[0].value;
    ASSERT_TRUE(apart.apart);
    EXPECT_NEAR(*apart.apart, factor, 0.01);
    EXPECT_FALSE(*apart.processes_agree);
    EXPECT_LE(apart.metrics[0].interval->low, 1.001 * std::min(by_points, factor * by_points));
    EXPECT_GE(apart.metrics[0].interval->high, 0.999 * std::max(by_points, factor * by_points));
  }
}

}  // namespace
}  // namespace seqpoint::project
