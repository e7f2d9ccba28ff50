// Consecutive batches of a process, compared with what its points predict.
#include "core/measuring/stretch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/measuring/turns.hpp"
#include "core/select/select.hpp"
#include "io/views/diagnosis_text.hpp"
#include "varied_run.hpp"

namespace seqpoint::measuring {
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
    all.metrics = {std::string(kMetric)};
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
    part.metrics.push_back({std::string(kMetric), {}});
    for (const trace::Shape& shape : part.shapes) part.metrics[0].values.push_back(factor * cost(shape));
    return part;
  }
  std::optional<Stretch> compared(const trace::Trace& stretch) const {
    return compare_stretch(selection, measured, known, stretch, {});
  }
};

/// Stretches with these ratios of time to prediction.
std::vector<Stretch> with_ratios(const std::vector<double>& ratios) {
  std::vector<Stretch> stretches;
  for (const double ratio : ratios) stretches.push_back({.batches = 20, .predicted_s = 2, .took_s = 2 * ratio});
  return stretches;
}

// The t interval of four values at 99 % is 5.8409 standard errors wide on either side (tables of Student's t).
TEST(Bias, IsFoundOutsideTheIntervalOfTheMean) {
  const std::vector<double> ratios{0.89, 0.91, 0.90, 0.92};
  const std::optional<Bias> found = find_bias(with_ratios(ratios));
  ASSERT_TRUE(found);
  double mean = 0, squares = 0;
  for (const double ratio : ratios) mean += std::log(ratio) / 4;
  for (const double ratio : ratios) squares += (std::log(ratio) - mean) * (std::log(ratio) - mean);
  EXPECT_EQ(found->stretches, 4U);
  EXPECT_NEAR(found->ratio, std::exp(mean), 1e-12);
  EXPECT_NEAR(found->range.high, std::exp(mean + 5.8409 * std::sqrt(squares / 12)), 1e-5);
}

TEST(Bias, IsNoneOfFewStretchesOrSmallOrUnsure) {
  EXPECT_FALSE(find_bias(with_ratios({0.9, 0.9, 0.9})));
  EXPECT_FALSE(find_bias(with_ratios({0.985, 0.984, 0.986, 0.985})));
  EXPECT_FALSE(find_bias(with_ratios({0.7, 1.05, 0.8, 0.95, 0.85})));
}

TEST(Bias, WidensTheResult) {
  project::Projection projection;
  projection.baseline = "run";
  project::ConfigurationProjection& c = projection.configurations.emplace_back();
  c.name = "run";
  project::MetricProjection& time = c.metrics.emplace_back();
  time.name = std::string(kMetric);
  time.value = 100;
  time.interval = project::IntervalOrReason(project::Interval{98, 102});
  EXPECT_TRUE(widen(projection, {{"run", with_ratios({0.89, 0.91, 0.90, 0.92})}}));
  EXPECT_NEAR(c.metrics[0].interval->low, 90.5, 0.1);
  EXPECT_EQ(c.metrics[0].interval->high, 102);
}

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
// prediction has their cold start once each, and none or twice that is as expected.
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
  batches.metrics[0].values = {cost(other), cost(other), cost(other)};
  const Stretch steady = *process.compared(batches);
  EXPECT_NEAR(steady.predicted_s, 3 * cost(other) + 2 * 0.5, 0.01);
  EXPECT_FALSE(steady.is_off());
  batches.metrics[0].values[0] += 2;
  EXPECT_FALSE(process.compared(batches)->is_off());
  batches.metrics[0].values[0] += 0.5;
  EXPECT_TRUE(process.compared(batches)->is_off());
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

project::Projection projected(double old_s, double new_s) {
  project::Projection projection;
  projection.baseline = "old";
  for (const auto& [name, value] : {std::pair{"old", old_s}, std::pair{"new", new_s}}) {
    project::ConfigurationProjection& c = projection.configurations.emplace_back();
    c.name = name;
    c.metrics.push_back(
        {.name = std::string(kMetric), .value = value, .interval = project::Interval{0.9 * value, 1.1 * value}});
    c.speedups.push_back({.metric = std::string(kMetric),
                          .value = old_s / value,
                          .interval = project::Interval{0.9 * old_s / value, 1.1 * old_s / value}});
  }
  return projection;
}

// Two of three stretches took 30 % longer, one as long: 20 % on average. 100 s become 120 s, 100 / 100 becomes 1 / 1.2.
TEST(Stretch, AnIntervalContainsWhatStretchesSayIfOneIsOff) {
  const Stretch off{.batches = 20, .predicted_s = 1, .took_s = 1.3, .expected = project::Interval{0.8, 1.2}},
      fits{.batches = 20, .predicted_s = 1, .took_s = 1, .expected = project::Interval{0.8, 1.2}};
  project::Projection projection = projected(100, 100);
  EXPECT_FALSE(widen(projection, {{"old", {fits, fits}}, {"new", {fits}}}));
  EXPECT_TRUE(widen(projection, {{"old", {fits, fits}}, {"new", {off, off, fits}}}));
  const project::ConfigurationProjection &old = projection.configurations[0], &changed = projection.configurations[1];
  EXPECT_NEAR(old.metrics[0].interval->high, 110, 1e-9);
  EXPECT_NEAR(changed.metrics[0].value, 100, 1e-9);
  EXPECT_NEAR(changed.metrics[0].interval->low, 90, 1e-9);
  EXPECT_NEAR(changed.metrics[0].interval->high, 120, 1e-9);
  EXPECT_NEAR(changed.metrics[0].interval.bounds.high, 120, 1e-9);
  EXPECT_NEAR(changed.speedups[0].interval->low, 1 / 1.2, 1e-9);
  EXPECT_NEAR(changed.speedups[0].interval->high, 1.1, 1e-9);
}

}  // namespace
}  // namespace seqpoint::measuring
