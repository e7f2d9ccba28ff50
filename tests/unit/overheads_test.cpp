// Seconds beside the iterations, by hand and against every point of a box.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "seqpoint/error.hpp"
#include "seqpoint/project.hpp"

namespace seqpoint::testing {
namespace {

/// Two epochs, three signatures, 1000 samples.
trace::RunSummary run_of_overheads() {
  trace::RunSummary r;
  r.epochs = 2;
  r.samples = 1000;
  r.histogram = {{{10, 0, 4}, 1}, {{20, 0, 4}, 1}, {{30, 0, 4}, 1}};
  return r;
}

project::MetricProjection projected_metric(const std::string& name, double value,
                                           project::MetricKind kind = project::MetricKind::total) {
  project::MetricProjection m;
  m.name = name;
  m.kind = kind;
  m.value = value;
  if (kind == project::MetricKind::total) m.per_epoch = value / 2;
  return m;
}

/// 200 s and 100 s: twice as fast.
project::Projection two_configurations() {
  project::Projection p;
  p.baseline = "old";
  const std::string no_repeats = "no repeats";
  for (const auto& [name, seconds] : {std::pair("old", 200.0), std::pair("new", 100.0)}) {
    project::ConfigurationProjection c;
    c.name = name;
    c.metrics = {projected_metric("runtime_s", seconds), projected_metric("energy_j", 7)};
    c.throughput = project::Throughput{"runtime_s", 1000 / seconds, 3000 / seconds, 4000 / seconds};
    c.speedups = {{"runtime_s", 200 / seconds, no_repeats}, {"energy_j", 1, no_repeats}};
    p.configurations.push_back(c);
  }
  return p;
}

TEST(Overheads, AreInTotalsOfSecondsSpeedupsAndThroughput) {
  project::Projection p = two_configurations();
  project::add_overheads(p, run_of_overheads(), 20, 3);  // 2 x 20 + 3 x 3 = 49 s
  EXPECT_EQ(p.overheads->seconds, 49);
  EXPECT_EQ(p.overheads->signatures, 3U);
  const project::ConfigurationProjection &base = p.configurations[0], &other = p.configurations[1];
  EXPECT_DOUBLE_EQ(base.metrics[0].value, 249);
  EXPECT_DOUBLE_EQ(other.metrics[0].value, 149);
  EXPECT_DOUBLE_EQ(*other.metrics[0].per_epoch, 74.5);
  EXPECT_DOUBLE_EQ(other.metrics[1].value, 7);  // no seconds
  EXPECT_DOUBLE_EQ(base.speedups[0].value, 1);
  EXPECT_DOUBLE_EQ(other.speedups[0].value, 249.0 / 149);
  EXPECT_DOUBLE_EQ(other.speedups[1].value, 1);
  EXPECT_DOUBLE_EQ(other.throughput->samples_per_s, 1000.0 / 149);
  EXPECT_DOUBLE_EQ(*other.throughput->tokens_per_s, 3000.0 / 149);
  EXPECT_DOUBLE_EQ(other.throughput->padded_tokens_per_s, 4000.0 / 149);
  EXPECT_TRUE(p.notes.empty());
}

TEST(Overheads, IntervalsOfTotalsMoveWithThem) {
  project::Projection p = two_configurations();
  p.configurations[1].metrics[0].interval = project::Interval{90, 115};
  project::add_overheads(p, run_of_overheads(), 5, 0);
  EXPECT_DOUBLE_EQ(p.configurations[1].metrics[0].interval->low, 100);
  EXPECT_DOUBLE_EQ(p.configurations[1].metrics[0].interval->high, 125);
}

TEST(Overheads, TheSpeedupsIntervalHoldsEverySpeedupAndTotalOfTheirs) {
  const project::Interval speedups[] = {{1.5, 2.5}, {0.5, 0.8}, {0.9, 1.2}, {1, 1}},
                          totals[] = {{90, 110}, {1, 1000}, {-5, 20}};
  for (const project::Interval& s : speedups)
    for (const project::Interval& y : totals) {
      project::Projection p = two_configurations();
      project::ConfigurationProjection& c = p.configurations[1];
      c.speedups[0] = {"runtime_s", (s.low + s.high) / 2, s};
      c.metrics[0].interval = y;
      project::add_overheads(p, run_of_overheads(), 15, 0);  // 30 s
      double least = 1e300, most = -1e300;
      for (int i = 0; i <= 100; ++i)
        for (int k = 0; k <= 100; ++k) {
          const double speedup = s.low + (s.high - s.low) * i / 100,
                       total = std::max(0.0, y.low) + (y.high - std::max(0.0, y.low)) * k / 100;
          const double now = (speedup * total + 30) / (total + 30);
          least = std::min(least, now);
          most = std::max(most, now);
        }
      EXPECT_NEAR(c.speedups[0].interval->low, least, 1e-12);
      EXPECT_NEAR(c.speedups[0].interval->high, most, 1e-12);
    }
}

TEST(Overheads, ASpeedupWhoseTotalHasNoIntervalLosesItsOwn) {
  project::Projection p = two_configurations();
  p.configurations[1].speedups[0].interval = project::Interval{1.9, 2.1};
  p.configurations[1].speedups[1].interval = project::Interval{0.9, 1.1};
  project::add_overheads(p, run_of_overheads(), 1, 0);
  EXPECT_FALSE(p.configurations[1].speedups[0].interval);
  EXPECT_NE(p.configurations[1].speedups[0].interval.reason.find("the total has no interval"), std::string::npos);
  EXPECT_TRUE(p.configurations[1].speedups[1].interval);  // of energy: not touched
}

TEST(Overheads, NothingAddedChangesNothing) {
  project::Projection p = two_configurations();
  p.configurations[1].metrics[0].interval = project::Interval{90, 115};
  p.configurations[1].speedups[0].interval = project::Interval{1.9, 2.1};
  project::add_overheads(p, run_of_overheads(), 0, 0);
  EXPECT_DOUBLE_EQ(p.configurations[1].metrics[0].value, 100);
  EXPECT_DOUBLE_EQ(p.configurations[1].speedups[0].interval->low, 1.9);
  EXPECT_DOUBLE_EQ(p.configurations[1].speedups[0].interval->high, 2.1);
}

TEST(Overheads, RatesStayAndThatIsSaid) {
  project::Projection p = two_configurations();
  p.configurations[1].metrics.push_back(projected_metric("ipc", 2, project::MetricKind::rate));
  p.configurations[1].metrics.push_back(projected_metric("wait_s", 3, project::MetricKind::max));
  project::add_overheads(p, run_of_overheads(), 10, 0);
  EXPECT_DOUBLE_EQ(p.configurations[1].metrics[2].value, 2);
  EXPECT_DOUBLE_EQ(p.configurations[1].metrics[3].value, 3);
  EXPECT_EQ(p.notes.size(), 1U);
}

TEST(Overheads, ThroughputSlowsDownEvenWhereItsMetricIsLeftOut) {
  project::Projection p = two_configurations();
  p.configurations[1].metrics.erase(p.configurations[1].metrics.begin());
  project::add_overheads(p, run_of_overheads(), 50, 0);
  EXPECT_DOUBLE_EQ(p.configurations[1].throughput->samples_per_s, 1000.0 / 200);
}

TEST(Overheads, NeedATime) {
  project::Projection p = two_configurations();
  for (project::ConfigurationProjection& c : p.configurations) {
    c.metrics = {projected_metric("energy_j", 7), projected_metric("samples_per_s", 5)};
    c.throughput.reset();
  }
  EXPECT_THROW(project::add_overheads(p, run_of_overheads(), 10, 0), UsageError);
}

}  // namespace
}  // namespace seqpoint::testing
