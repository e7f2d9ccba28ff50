// Seconds beside the iterations, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/project/projection.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::testing {
namespace {

/// Two epochs of 30 iterations of three shapes, each a point.
select::Selection points_of_two_epochs() {
  select::Selection selection;
  selection.run.iterations = 60;
  selection.run.epochs = 2;
  selection.run.samples = 240;
  selection.run.padded_tokens = 20 * 4 * 90;
  for (std::uint32_t p = 0; p < 3; ++p) {
    const trace::Shape shape{10 * p + 20, {}, 4};
    selection.run.histogram.push_back({shape, 20});
    selection.points.push_back({"sp" + std::to_string(p + 1), shape, {20 * select::Weight::kUnit}, {p}, {}});
  }
  return selection;
}

/// 60 iterations take 60 x `seconds` on average.
project::NamedMeasurements measured_mean(const std::string& name, double seconds, const std::string& metric) {
  return {name, {.metrics = {metric}, .readings = {{{0.7 * seconds}, {1.02 * seconds}, {1.28 * seconds}}}}};
}

project::Projection with_overhead(double seconds, const std::string& metric = "runtime_s") {
  const std::vector<project::NamedMeasurements> all{measured_mean("old", 2, metric), measured_mean("new", 1, metric)};
  project::ProjectParams params;
  params.epoch_overhead_s = seconds;
  return project::project(points_of_two_epochs(), all, params);
}

TEST(Overheads, AreInTotalsOfSecondsSpeedupsAndThroughput) {
  const project::Projection plain = with_overhead(0), with = with_overhead(15);
  EXPECT_FALSE(plain.overheads);
  EXPECT_EQ(with.overheads->seconds, 30);
  for (std::size_t c = 0; c < 2; ++c) {
    const project::MetricProjection &before = plain.configurations[c].metrics[0],
                                    &after = with.configurations[c].metrics[0];
    EXPECT_NEAR(after.value, before.value + 30, 1e-9);
    EXPECT_NEAR(*after.per_epoch, after.value / 2, 1e-9);
    EXPECT_NEAR(after.interval->low, before.interval->low + 30, 1e-9);
    EXPECT_NEAR(after.interval->high, before.interval->high + 30, 1e-9);
    EXPECT_NEAR(with.configurations[c].throughput->samples_per_s, 240 / after.value, 1e-9);
  }
  EXPECT_NEAR(with.configurations[1].speedups[0].value, (120.0 + 30) / (60 + 30), 1e-9);
  EXPECT_TRUE(with.notes.empty());
}

/// A third of the new total is overhead: two thirds of what the speedup may be off by are left.
TEST(Overheads, ASpeedupIsAsSureAsItsIterations) {
  const project::IntervalOrReason before = with_overhead(0).configurations[1].speedups[0].interval,
                                  after = with_overhead(15).configurations[1].speedups[0].interval;
  ASSERT_TRUE(before && after);
  EXPECT_NEAR(after->low, before->low * 2 / 3 + 1.0 / 3, 1e-9);
  EXPECT_NEAR(after->high, before->high * 2 / 3 + 1.0 / 3, 1e-9);
}

TEST(Overheads, RatesStayAndThatIsSaid) {
  const std::vector<project::NamedMeasurements> all{
      {"v", {.metrics = {"runtime_s", "power_w"}, .readings = {{{1}, {2}, {3}}, {{5}, {6}, {7}}}}}};
  project::ProjectParams params;
  params.aggregate = {{"power_w", project::MetricKind::rate}};
  const double before = project::project(points_of_two_epochs(), all, params).configurations[0].metrics[1].value;
  params.epoch_overhead_s = 10;
  const project::Projection after = project::project(points_of_two_epochs(), all, params);
  EXPECT_EQ(after.configurations[0].metrics[1].value, before);
  EXPECT_EQ(after.notes.size(), 1U);
}

TEST(Overheads, NeedATime) { EXPECT_THROW(with_overhead(10, "energy_j"), UsageError); }

}  // namespace
}  // namespace seqpoint::testing
