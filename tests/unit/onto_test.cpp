// Projections onto another run, worked out by hand.
#include "seqpoint/projection_onto.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "seqpoint/cost_curve.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

using Values = std::vector<double>;

/// A run of one length and batch size 2, of whatever lengths.
RunSummary run_of(std::vector<std::pair<std::uint32_t, std::uint64_t>> lengths, std::uint32_t batch_size = 2) {
  RunSummary run;
  for (const auto& [length, count] : lengths) {
    run.histogram.push_back({{length, 0, batch_size}, count});
    run.iterations += count;
    run.samples += count * batch_size;
    run.padded_tokens += count * batch_size * length;
  }
  return run;
}

Onto onto(RunSummary run) { return {"other.csv", "", std::move(run), 0, 0}; }

/// Points of equal weight that leave the batch size open.
Selection chosen(const std::vector<std::uint32_t>& lengths) {
  Selection selection;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> run;
  for (const std::uint32_t length : lengths) {
    selection.points.push_back(
        {"sp" + std::to_string(run.size() + 1), {length, {}, {}}, {3 * Weight::kUnit}, {run.size()}, {}});
    run.emplace_back(length, 3);
  }
  selection.run = run_of(run);
  return selection;
}

/// One measurement a point; NaN: none.
NamedMeasurements measured(const std::string& name, const std::vector<std::pair<std::string, Values>>& metrics) {
  NamedMeasurements all{name, {}};
  for (const auto& [metric, values] : metrics) {
    all.measurements.metrics.push_back(metric);
    auto& repeats = all.measurements.values.emplace_back();
    for (const double value : values) repeats.push_back(std::isnan(value) ? Values{} : Values{value});
  }
  return all;
}

Projection projected(const Selection& selection, const RunSummary& other, std::vector<NamedMeasurements> configurations,
                     const ProjectParams& params = {}) {
  return project_onto(selection, onto(other), configurations, params);
}

// Cost s / 10: 2 x 1.5 + 3 + 5 = 11 s; samples 4 x 2; padded tokens 2 x (30 + 30 + 50).
TEST(ProjectOnto, FiguresAreThoseOfTheOtherRun) {
  RunSummary other = run_of({{15, 2}, {30, 1}, {50, 1}});
  other.epochs = 2;
  other.tokens = 88;
  const Projection p = projected(chosen({10, 20, 40}), other, {measured("v1", {{"runtime_s", {1, 2, 4}}})});
  const ConfigurationProjection& c = p.configurations.at(0);
  EXPECT_NEAR(c.metrics.at(0).value, 11, 1e-12);
  EXPECT_NEAR(c.metrics.at(0).per_epoch.value_or(0), 5.5, 1e-12);
  ASSERT_TRUE(c.throughput);
  EXPECT_NEAR(c.throughput->samples_per_s, 8 / 11.0, 1e-12);
  EXPECT_NEAR(c.throughput->tokens_per_s.value_or(0), 8, 1e-12);
  EXPECT_NEAR(c.throughput->padded_tokens_per_s, 20, 1e-12);
  EXPECT_EQ(c.coverage, 1);
  ASSERT_TRUE(p.onto);
  EXPECT_EQ(p.onto->run.iterations, 4U);
  EXPECT_EQ(p.onto->extrapolated_share, 0.25);
  EXPECT_NEAR(p.onto->farthest, 10 / 30.0, 1e-12);
}

TEST(ProjectOnto, MaximaAndRatesAreReadOffTheCurves) {
  ProjectParams params;
  params.kinds = {{"peak", MetricKind::max}, {"ipc", MetricKind::rate}};
  params.rates = {{"bandwidth", "bytes", "runtime_s"}};
  const Projection p = projected(
      chosen({10, 20, 40}), run_of({{15, 2}, {30, 1}}),
      {measured("v1", {{"runtime_s", {1, 2, 4}}, {"peak", {5, 6, 8}}, {"ipc", {1, 2, 4}}, {"bytes", {20, 40, 80}}})},
      params);
  const auto& metrics = p.configurations.at(0).metrics;
  ASSERT_EQ(metrics.size(), 5U);
  EXPECT_NEAR(metrics[1].value, 7, 1e-12) << "the largest at 30";
  EXPECT_NEAR(metrics[2].value, (2 * 1.5 * 1.5 + 3 * 3) / 6, 1e-12) << "weighted by time";
  EXPECT_NEAR(metrics[4].value, 20, 1e-12);
  EXPECT_FALSE(metrics[1].interval);
  EXPECT_FALSE(metrics[2].interval);
  EXPECT_FALSE(metrics[1].interval_note.empty());
  ASSERT_TRUE(metrics[4].interval);
  EXPECT_NEAR(metrics[4].interval->low, 20, 1e-6) << "bytes are 20 a second at every point: the residuals cancel";
}

TEST(ProjectOnto, SpeedupsAreRatiosOfTheCurvesTotals) {
  const Projection p =
      projected(chosen({10, 20, 40}), run_of({{40, 3}, {15, 2}}),
                {measured("old", {{"runtime_s", {1, 2, 4}}}), measured("new", {{"runtime_s", {1, 1.5, 2.5}}})});
  const Speedup& own = p.configurations.at(0).speedups.at(0);
  const Speedup& speedup = p.configurations.at(1).speedups.at(0);
  EXPECT_EQ(own.value, 1);
  ASSERT_TRUE(own.interval);
  EXPECT_EQ(own.interval->low, 1);
  EXPECT_EQ(own.interval->high, 1);
  EXPECT_NEAR(speedup.value, (3 * 4 + 2 * 1.5) / (3 * 2.5 + 2 * 1.25), 1e-12);
  EXPECT_TRUE(speedup.interval);
}

TEST(ProjectOnto, AMissingPointIsReadOffTheOthersAndCostsCoverage) {
  const Projection p = projected(chosen({10, 20, 30, 40}), run_of({{20, 1}, {40, 1}}),
                                 {measured("v1", {{"runtime_s", {1, std::nan(""), 3, 4}}})});
  const ConfigurationProjection& c = p.configurations.at(0);
  EXPECT_NEAR(c.metrics.at(0).value, 6, 1e-12);
  EXPECT_EQ(c.coverage, 0.75);
  EXPECT_EQ(c.missing_points, std::vector<std::string>{"sp2"});
}

TEST(ProjectOnto, AnOpenBatchSizeIsTheUsualOneOfItsLength) {
  Selection selection = chosen({10, 20, 40});
  selection.run.histogram.push_back({{40, 0, 1}, 1});  // a short last batch
  const Projection p = projected(selection, run_of({{30, 1}}, 4), {measured("v1", {{"runtime_s", {1, 2, 4}}})});
  EXPECT_NEAR(p.configurations.at(0).metrics.at(0).value, 6, 1e-12);
  EXPECT_EQ(p.onto->farthest, 1) << "twice the batch size";
}

TEST(ProjectOnto, RobustTakesTheMedianOfRepeats) {
  NamedMeasurements repeated = measured("v1", {{"runtime_s", {1, 2, 4}}});
  repeated.measurements.values[0][1] = {2, 9, 2};
  ProjectParams params;
  params.robust = true;
  EXPECT_NEAR(
      projected(chosen({10, 20, 40}), run_of({{20, 1}}), {repeated}, params).configurations.at(0).metrics.at(0).value,
      2, 1e-12);
  EXPECT_NEAR(projected(chosen({10, 20, 40}), run_of({{20, 1}}), {repeated}).configurations.at(0).metrics.at(0).value,
              13 / 3.0, 1e-12);
}

/// The interval's formula over points (s, y) and a run of lengths in their range, batch size 1, with the two columns 1
/// and s by the normal equations: t x residual spread x sqrt(leverage^2 + scatter^2) + |curve - fit|.
Interval by_normal_equations(const Values& s, const Values& y, const std::vector<std::pair<double, double>>& lengths,
                             const Values& costs, double t) {
  double a = 0, b = 0, c = 0, d = 0, e = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double w = 1 / (y[i] * y[i]);
    a += w, b += w * s[i], c += w * s[i] * s[i], d += w * y[i], e += w * s[i] * y[i];
  }
  const double det = a * c - b * b, intercept = (c * d - b * e) / det, slope = (a * e - b * d) / det;
  double squares = 0, n = 0, sum = 0, total = 0, scatter = 0;
  for (std::size_t i = 0; i < s.size(); ++i) squares += std::pow((intercept + slope * s[i]) / y[i] - 1, 2);
  for (std::size_t h = 0; h < lengths.size(); ++h) {
    n += lengths[h].second;
    sum += lengths[h].second * lengths[h].first;
    total += lengths[h].second * costs[h];
    scatter += lengths[h].second * costs[h] * costs[h];
  }
  const double leverage = (n * n * c - 2 * n * sum * b + sum * sum * a) / det;
  const double sd = std::sqrt(squares / static_cast<double>(s.size() - 2));
  const double half = t * sd * std::sqrt(leverage + scatter) + std::abs(total - (n * intercept + sum * slope));
  return {total - half, total + half};
}

TEST(ProjectOnto, IntervalsAreThoseOfTheRegression) {
  const Values s = {10, 18, 30, 44, 60}, y = {1.1, 1.7, 3.2, 4.3, 6.1};
  Selection selection = chosen({10, 18, 30, 44, 60});
  for (SignatureCount& entry : selection.run.histogram) entry.signature.batch_size = 1;
  const RunSummary other = run_of({{12, 5}, {33, 2}, {58, 9}}, 1);
  std::vector<PointKey> keys;
  for (const Point& point : selection.points) keys.push_back({point.key.src_len, {}, 1});
  const CostCurve curve(keys, y);
  const Values costs = {curve({12, 0, 1}), curve({33, 0, 1}), curve({58, 0, 1})};
  const Interval expected =
      by_normal_equations(s, y, {{12, 5}, {33, 2}, {58, 9}}, costs, 3.182446305284263);  // 3 degrees of freedom
  const Projection p = projected(selection, other, {measured("v1", {{"runtime_s", y}})});
  const auto& interval = p.configurations.at(0).metrics.at(0).interval;
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, expected.low, 1e-9 * expected.low);
  EXPECT_NEAR(interval->high, expected.high, 1e-9 * expected.high);
}

std::string note_of(const Selection& selection, const RunSummary& other, const Values& values) {
  const Projection p = projected(selection, other, {measured("v1", {{"runtime_s", values}})});
  const MetricProjection& metric = p.configurations.at(0).metrics.at(0);
  EXPECT_EQ(metric.interval.has_value(), metric.interval_note.empty());
  return metric.interval_note;
}

TEST(ProjectOnto, WhereNoIntervalCanBeStatedItSaysWhy) {
  const Selection three = chosen({10, 20, 40});
  const RunSummary inside = run_of({{15, 5}});
  EXPECT_EQ(note_of(three, inside, {1, 2, 4}), "");
  EXPECT_EQ(note_of(chosen({10, 20}), inside, {1, 2}), "fewer than three points were measured");
  EXPECT_EQ(note_of(three, inside, {1, 0, 4}), "a measured value is not above zero");
  EXPECT_EQ(note_of(three, run_of({{10, 5}, {60, 1}}), {1, 2, 4}),
            "54.5 % of the total lies outside what was measured by more than half its range");
}

// A tenth of its cost, 6, times two thirds of the range.
TEST(ProjectOnto, OneFarIterationOfManyWidensByAShareOfItsCost) {
  const Projection p =
      projected(chosen({10, 20, 40}), run_of({{30, 1000}, {60, 1}}), {measured("v1", {{"runtime_s", {1, 2, 4}}})});
  const MetricProjection& metric = p.configurations.at(0).metrics.at(0);
  ASSERT_TRUE(metric.interval);
  EXPECT_NEAR(metric.interval->high - metric.value, 0.4, 1e-6);
  EXPECT_NEAR(metric.value - metric.interval->low, 0.4, 1e-6);
}

TEST(ProjectOnto, OneAndTwoLengthsDoNotMix) {
  Selection paired = chosen({10, 20, 40});
  paired.run.paired = true;
  RunSummary pairs = run_of({{10, 1}});
  pairs.paired = true;
  const std::vector<NamedMeasurements> all = {measured("v1", {{"runtime_s", {1, 2, 4}}})};
  EXPECT_THROW(project_onto(paired, onto(run_of({{10, 1}})), all, {}), InputError);
  EXPECT_THROW(project_onto(chosen({10, 20, 40}), onto(pairs), all, {}), InputError);
}

}  // namespace
}  // namespace seqpoint
