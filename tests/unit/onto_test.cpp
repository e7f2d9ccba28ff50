// Projections onto another run, worked out by hand; predictions and intervals by plain elimination.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/projection.hpp"
#include "dense_model.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

using testing::DenseModel;
using Values = std::vector<double>;

/// A run of one length and batch size 2, of whatever lengths.
trace::RunSummary run_at_lengths(std::vector<std::pair<std::uint32_t, std::uint64_t>> lengths,
                                 std::uint32_t batch_size = 2) {
  trace::RunSummary run;
  for (const auto& [length, count] : lengths) {
    run.histogram.push_back({{length, 0, batch_size}, count});
    run.iterations += count;
    run.samples += count * batch_size;
    run.padded_tokens += count * batch_size * length;
  }
  return run;
}

project::TargetRun onto_run(trace::RunSummary run) { return {"other.csv", "", std::move(run), 0, 0}; }

/// Points of equal weight.
select::Selection points_at_lengths(const std::vector<std::uint32_t>& lengths) {
  select::Selection selection;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> run;
  for (const std::uint32_t length : lengths) {
    selection.points.push_back(
        {"sp" + std::to_string(run.size() + 1), {length, 0, 2}, {3 * select::Weight::kUnit}, {run.size()}, {}});
    run.emplace_back(length, 3);
  }
  selection.run = run_at_lengths(run);
  return selection;
}

/// One measurement a point; NaN: none.
project::NamedMeasurements measured_once(const std::string& name,
                                         const std::vector<std::pair<std::string, Values>>& metrics) {
  project::NamedMeasurements all{name, {}};
  for (const auto& [metric, values] : metrics) {
    all.measurements.metrics.push_back(metric);
    auto& repeats = all.measurements.readings.emplace_back();
    for (const double value : values)
      if (repeats.emplace_back(); !std::isnan(value)) repeats.back().emplace_back(value);
  }
  return all;
}

project::Projection projected_onto(const select::Selection& selection, const trace::RunSummary& other,
                                   std::vector<project::NamedMeasurements> configurations,
                                   const project::ProjectParams& params = {}) {
  return project::project_onto(selection, onto_run(other), configurations, params);
}

// Cost s / 10: 2 x 1.5 + 3 + 5 = 11 s; samples 4 x 2; padded tokens 2 x (30 + 30 + 50).
// As many points as free basis functions leave nothing to estimate the scale from, and the shapes' amounts have a
// variance: nearly exact.
TEST(ProjectOnto, FiguresAreThoseOfTheOtherRun) {
  trace::RunSummary other = run_at_lengths({{15, 2}, {30, 1}, {50, 1}});
  other.epochs = 2;
  other.tokens = 88;
  const project::Projection p =
      projected_onto(points_at_lengths({10, 20, 40}), other, {measured_once("v1", {{"runtime_s", {1, 2, 4}}})});
  const project::ConfigurationProjection& c = p.configurations.at(0);
  EXPECT_NEAR(c.metrics.at(0).value, 11, 1e-5);
  EXPECT_NEAR(c.metrics.at(0).per_epoch.value_or(0), 5.5, 1e-5);
  ASSERT_TRUE(c.throughput);
  EXPECT_NEAR(c.throughput->samples_per_s, 8 / 11.0, 1e-5);
  EXPECT_NEAR(c.throughput->tokens_per_s.value_or(0), 8, 1e-5);
  EXPECT_NEAR(c.throughput->padded_tokens_per_s, 20, 1e-5);
  EXPECT_EQ(c.measured_weight, 1);
  ASSERT_TRUE(p.target_run);
  EXPECT_EQ(p.target_run->run.iterations, 4U);
  EXPECT_EQ(p.target_run->extrapolated_share, 0.25);
  EXPECT_NEAR(p.target_run->largest_distance, 10 / 30.0, 1e-12);
}

/// Costs in proportion to size are exact, and quadratic ones nearly so.
TEST(ProjectOnto, MaximaAndRatesArePredictedForTheOtherRun) {
  project::ProjectParams params;
  params.aggregate = {{"peak", project::MetricKind::max}, {"ipc", project::MetricKind::rate}};
  params.rates = {{"bandwidth", "bytes", "runtime_s"}};
  const project::NamedMeasurements straight = measured_once(
      "v1", {{"runtime_s", {1, 2, 3, 4}}, {"peak", {2, 4, 6, 8}}, {"ipc", {1, 2, 3, 4}}, {"bytes", {20, 40, 60, 80}}});
  const project::Projection p =
      projected_onto(points_at_lengths({10, 20, 30, 40}), run_at_lengths({{15, 2}, {50, 1}}), {straight}, params);
  const auto& metrics = p.configurations.at(0).metrics;
  ASSERT_EQ(metrics.size(), 5U);
  EXPECT_NEAR(metrics[1].value, 10, 1e-9) << "that of length 50";
  EXPECT_NEAR(metrics[2].value, (2 * 1.5 * 1.5 + 5 * 5) / 8, 0.3) << "weighted by time";
  EXPECT_NEAR(metrics[4].value, 20, 1e-9);
  for (const project::MetricProjection& metric : metrics) {
    ASSERT_TRUE(metric.interval) << metric.name << ": " << metric.interval.reason;
    EXPECT_TRUE(metric.interval->low < metric.value && metric.value < metric.interval->high) << metric.name;
  }
  EXPECT_NEAR(metrics[4].interval->low * metrics[4].interval->high, 400, 1e-6) << "on the logarithm";
}

TEST(ProjectOnto, AMaximumIsNoLessThanWhatWasMeasured) {
  project::ProjectParams params;
  params.aggregate = {{"peak", project::MetricKind::max}};
  const project::Projection p = projected_onto(points_at_lengths({10, 20, 30, 40}), run_at_lengths({{15, 2}, {25, 1}}),
                                               {measured_once("v1", {{"peak", {5, 6, 7, 8}}})}, params);
  const project::MetricProjection& peak = p.configurations.at(0).metrics.at(0);
  EXPECT_EQ(peak.value, 8);
  ASSERT_TRUE(peak.interval);
  EXPECT_GE(peak.interval->low, 8);
}

TEST(ProjectOnto, SpeedupsAreRatiosOfTheTotals) {
  const project::Projection p = projected_onto(
      points_at_lengths({10, 20, 30, 40}), run_at_lengths({{40, 3}, {15, 2}}),
      {measured_once("old", {{"runtime_s", {1, 2, 3, 4}}}), measured_once("new", {{"runtime_s", {1, 1.5, 2, 2.5}}})});
  const project::Speedup& own = p.configurations.at(0).speedups.at(0);
  const project::Speedup& speedup = p.configurations.at(1).speedups.at(0);
  EXPECT_EQ(own.value, 1);
  ASSERT_TRUE(own.interval);
  EXPECT_EQ(own.interval->low, 1);
  EXPECT_EQ(own.interval->high, 1);
  EXPECT_NEAR(speedup.value, (3 * 4 + 2 * 1.5) / (3 * 2.5 + 2 * 1.25), 0.01);
  ASSERT_TRUE(speedup.interval);
  EXPECT_TRUE(speedup.interval->low < speedup.value && speedup.value < speedup.interval->high);
}

TEST(ProjectOnto, AMissingPointIsPredictedFromTheOthersAndCostsCoverage) {
  const project::Projection p = projected_onto(points_at_lengths({10, 20, 30, 40}), run_at_lengths({{20, 1}, {40, 1}}),
                                               {measured_once("v1", {{"runtime_s", {1, std::nan(""), 3, 4}}})});
  const project::ConfigurationProjection& c = p.configurations.at(0);
  EXPECT_NEAR(c.metrics.at(0).value, 6, 1e-5);
  EXPECT_EQ(c.measured_weight, 0.75);
  EXPECT_EQ(c.missing_points, std::vector<std::string>{"sp2"});
}

TEST(ProjectOnto, AnOpenBatchSizeIsTheUsualOneOfItsLength) {
  select::Selection selection = points_at_lengths({10, 20, 30, 40});
  selection.run.histogram.insert(selection.run.histogram.end() - 1, {{40, 0, 1}, 1});  // a short last batch
  ++selection.run.iterations;
  const project::Projection p =
      projected_onto(selection, run_at_lengths({{30, 1}}, 4), {measured_once("v1", {{"runtime_s", {1, 2, 3, 4}}})});
  EXPECT_NEAR(p.configurations.at(0).metrics.at(0).value, 6, 0.01) << "twice what 30 costs at the batch size of all";
  EXPECT_EQ(p.target_run->largest_distance, 1) << "twice the batch size";
}

/// Half the iterations of the double size are the same run where a batch costs in proportion to its size, whatever the
/// measurements are; and so is a size that the points have.
TEST(ProjectOnto, ABatchOfAnotherSizeCostsInProportionToIt) {
  const select::Selection selection = points_at_lengths({100, 110, 120, 130});
  const std::vector<project::NamedMeasurements> measured{
      measured_once("v1", {{"runtime_s", {1.02, 1.05, 1.31, 1.28}}})};
  const double same =
      projected_onto(selection, run_at_lengths({{60, 4}, {105, 8}}), measured).configurations[0].metrics[0].value;
  for (const std::uint32_t size : {4U, 8U}) {
    const project::Projection p =
        projected_onto(selection, run_at_lengths({{60, 4 * 2 / size}, {105, 8 * 2 / size}}, size), measured);
    EXPECT_NEAR(p.configurations[0].metrics[0].value, same, 1e-9) << size;
    EXPECT_FALSE(p.configurations[0].metrics[0].interval) << size;
  }
}

/// What a larger batch needs is not in proportion to its size: weights are there once.
TEST(ProjectOnto, TheMostOfABatchOfAnotherSizeIsLeftOut) {
  const select::Selection selection = points_at_lengths({10, 20, 40});
  project::ProjectParams params;
  params.aggregate["peak_bytes"] = project::MetricKind::max;
  const std::vector<project::NamedMeasurements> both{
      measured_once("v1", {{"runtime_s", {1, 2, 4}}, {"peak_bytes", {100, 150, 250}}})};
  const project::Projection p = projected_onto(selection, run_at_lengths({{30, 4}}, 4), both, params);
  ASSERT_EQ(p.configurations[0].metrics.size(), 1U);
  EXPECT_EQ(p.configurations[0].metrics[0].name, "runtime_s");
  EXPECT_TRUE(std::ranges::any_of(p.notes, [](const std::string& note) {
    return note.starts_with("v1: peak_bytes is left out: the points have one batch size");
  }));
  EXPECT_EQ(projected_onto(selection, run_at_lengths({{30, 4}}), both, params).configurations[0].metrics.size(), 2U);
  const std::vector<project::NamedMeasurements> peaks{measured_once("v1", {{"peak_bytes", {100, 150, 250}}})};
  EXPECT_THROW(projected_onto(selection, run_at_lengths({{30, 4}}, 4), peaks, params), UsageError);
}

TEST(ProjectOnto, RobustTakesTheMedianOfRepeats) {
  project::NamedMeasurements repeated = measured_once("v1", {{"runtime_s", {1, 2, 4}}});
  repeated.measurements.readings[0][1] = {2, 9, 2};
  project::ProjectParams params;
  params.median = true;
  EXPECT_NEAR(
      projected_onto(points_at_lengths({10, 20, 40}), run_at_lengths({{20, 1}, {40, 1}, {10, 5}}), {repeated}, params)
          .configurations.at(0)
          .metrics.at(0)
          .value,
      11, 1e-5);
}

double weighed(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Values costs_over(Values values, double by) {
  for (double& value : values) value /= by;
  return values;
}

Eigen::VectorXd vector_of(const Values& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

double plain_mean(const Values& values) {
  return weighed(values, Values(values.size(), 1)) / static_cast<double>(values.size());
}

void expect_ends(const std::optional<project::Interval>& interval, double low, double high) {
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, low, 1e-7 * std::abs(high));
  EXPECT_NEAR(interval->high, high, 1e-7 * std::abs(high));
}

const std::vector<std::uint32_t> kOntoLengths{10, 18, 30, 44, 60};
const Values kOntoPlaces{10, 18, 30, 44, 60}, kOntoCosts{1.1, 1.7, 3.2, 4.3, 6.1};

/// Of a run that was predicted from costs whose mean over the points' own run is plain, measured by one process: total
/// and half-width.
std::pair<double, double> predicted_by_hand(const DenseModel& plain, const Values& costs, const trace::RunSummary& run,
                                            double confidence, double degrees = 0, double squares = 0) {
  DenseModel::Estimate found = plain.predicted(run);
  const double mean = plain_mean(costs), value = found.weights.dot(vector_of(costs)) + found.prior_share * mean;
  found.level = 2 * std::pow(value / mean, 2);  // of the process that measured, and of the run's
  const double half = mean * plain.half_width(vector_of(costs_over(costs, mean)), found, confidence, degrees, squares);
  const auto iterations = static_cast<double>(run.iterations);
  return {iterations * value, iterations * half};
}

TEST(ProjectOnto, TotalsAndIntervalsAreThoseOfADenseModel) {
  const trace::RunSummary other = run_at_lengths({{12, 5}, {33, 2}, {58, 9}, {75, 1}});
  for (const double confidence : {0.8, 0.95}) {
    project::ProjectParams params;
    params.confidence = confidence;
    const project::Projection p = projected_onto(points_at_lengths(kOntoLengths), other,
                                                 {measured_once("v1", {{"runtime_s", kOntoCosts}})}, params);
    const DenseModel plain(points_at_lengths(kOntoLengths).run, kOntoPlaces, Values(5, 1), Values(5, 1));
    const auto [value, half] = predicted_by_hand(plain, kOntoCosts, other, confidence);
    const project::MetricProjection& metric = p.configurations.at(0).metrics.at(0);
    EXPECT_NEAR(metric.value, value, 1e-9 * value);
    expect_ends(metric.interval, value - half, value + half);
  }
}

TEST(ProjectOnto, IntervalsKnowHowOftenAndAtHowManyIterationsPointsWereMeasured) {
  project::NamedMeasurements named = measured_once("v1", {{"runtime_s", kOntoCosts}});
  named.measurements.readings[0][1] = {{1.6, 4}, {1.9, 5}, {1.6, 5}};  // means 1.6 and 1.75
  named.measurements.readings[0][4] = {6.0, 6.1};                      // nobody knows of which
  const Values costs{1.1, 1.7, 3.2, 4.3, 6.05};
  const DenseModel plain(points_at_lengths(kOntoLengths).run, kOntoPlaces, {1, 9.0 / 5, 1, 1, 1}, {1, 3, 1, 1, 2});
  const double mean_between = (1.6 + 1.75) / 2,
               squares = 2 * std::pow(1.6 / mean_between - 1, 2) / DenseModel::sigma2(1, 1);
  const trace::RunSummary other = run_at_lengths({{12, 5}, {33, 2}, {58, 9}});
  const auto [value, half] = predicted_by_hand(plain, costs, other, 0.95, 1, squares);
  const project::Projection p = projected_onto(points_at_lengths(kOntoLengths), other, {named});
  EXPECT_NEAR(p.configurations.at(0).metrics.at(0).value, value, 1e-9 * value);
  expect_ends(p.configurations.at(0).metrics.at(0).interval, value - half, value + half);
}

// Of the run that the points are of, on the logarithm, from what is left of the machines' difference.
TEST(ProjectOnto, SpeedupsAreAsSureAsTheMachinesAreAlike) {
  const select::Selection selection = points_at_lengths(kOntoLengths);
  const Values faster{0.5, 0.9, 1.4, 2.3, 2.9};
  const std::vector<project::NamedMeasurements> all{measured_once("old", {{"runtime_s", kOntoCosts}}),
                                                    measured_once("new", {{"runtime_s", faster}})};
  const DenseModel plain(selection.run, kOntoPlaces, Values(5, 1), Values(5, 1));
  const double above = plain_mean(kOntoCosts), below = plain_mean(faster);
  Values e = costs_over(kOntoCosts, above);
  for (std::size_t i = 0; i < e.size(); ++i) e[i] -= faster[i] / below;
  DenseModel::Estimate error = plain.of_weights(Eigen::VectorXd::Constant(5, 0.2), selection.run);
  error.noise = 0;
  for (std::size_t i = 0; i < e.size(); ++i)
    error.noise += 2 * 0.04 * std::pow(kOntoPlaces[i] / plain_mean(kOntoPlaces), 2) * DenseModel::sigma2(1, 1);
  error.level = 2;  // of both processes that measured
  const double half = plain.half_width(vector_of(e), error, 0.95, 0, 0, 2);
  const project::Projection p = project::project(selection, all, {});
  const project::Speedup& speedup = p.configurations.at(1).speedups.at(0);
  EXPECT_NEAR(speedup.value, above / below, 1e-12);
  expect_ends(speedup.interval, above / below * std::exp(-half), above / below * std::exp(half));
}

TEST(ProjectOnto, AMaximumIsThePredictionOfItsShape) {
  const trace::RunSummary other = run_at_lengths({{12, 5}, {75, 3}, {70, 9}}), largest = run_at_lengths({{75, 1}});
  project::ProjectParams params;
  params.aggregate = {{"peak", project::MetricKind::max}};
  const DenseModel plain(points_at_lengths(kOntoLengths).run, kOntoPlaces, Values(5, 1), Values(5, 1));
  DenseModel::Estimate found = plain.predicted(largest);
  const double mean = plain_mean(kOntoCosts),
               value = found.weights.dot(vector_of(kOntoCosts)) + found.prior_share * mean;
  found.level = std::pow(value / mean, 2);  // of the process that measured
  const double half = mean * plain.half_width(vector_of(costs_over(kOntoCosts, mean)), found, 0.95);
  const project::Projection p =
      projected_onto(points_at_lengths(kOntoLengths), other, {measured_once("v1", {{"peak", kOntoCosts}})}, params);
  const project::MetricProjection& peak = p.configurations.at(0).metrics.at(0);
  EXPECT_NEAR(peak.value, value, 1e-9 * value);
  expect_ends(peak.interval, std::max(value - half, 6.1), value + half);
}

// The weights of the points left are those of the prediction of the run's own mean, which is also the prior's unit.
TEST(ProjectOnto, AMissingPointOfTheOwnRunLeavesThePredictionToTheOthers) {
  const select::Selection selection = points_at_lengths({10, 18, 30, 44, 60, 70});
  const DenseModel plain(selection.run, kOntoPlaces, Values(5, 1), Values(5, 1));
  DenseModel::Estimate found = plain.predicted_own(selection.run);
  const double mean = found.weights.dot(vector_of(kOntoCosts)), value = 18 * mean;
  found.level = 2;
  const double half = value * plain.half_width(vector_of(costs_over(kOntoCosts, mean)), found, 0.95);
  const std::vector<project::NamedMeasurements> all{
      measured_once("v1", {{"runtime_s", {1.1, 1.7, 3.2, 4.3, 6.1, std::nan("")}}})};
  const project::Projection p = project::project(selection, all, {});
  const project::MetricProjection& metric = p.configurations.at(0).metrics.at(0);
  EXPECT_NEAR(metric.value, value, 1e-9 * value);
  expect_ends(metric.interval, value - half, value + half);
}

/// Why a metric of these values has no interval; empty where it has one.
std::string note_of(const select::Selection& selection, const trace::RunSummary& other, const Values& values) {
  const project::Projection p = projected_onto(selection, other, {measured_once("v1", {{"runtime_s", values}})});
  const project::MetricProjection& metric = p.configurations.at(0).metrics.at(0);
  EXPECT_EQ(metric.interval.has_value(), metric.interval.reason.empty());
  return metric.interval.reason;
}

TEST(ProjectOnto, WhereNoIntervalCanBeStatedItSaysWhy) {
  const trace::RunSummary inside = run_at_lengths({{15, 5}});
  EXPECT_EQ(note_of(points_at_lengths({10, 20, 30, 40}), inside, {1, 2, 3, 4}), "");
  const std::string few = "the measured points do not determine how cost grows with length";
  EXPECT_EQ(note_of(points_at_lengths({10, 20, 40}), inside, {1, 2, 4}), few);
  EXPECT_EQ(note_of(points_at_lengths({10, 20}), inside, {1, 2}), few);
  EXPECT_EQ(note_of(points_at_lengths({10}), inside, {1}), "one measured point does not show what other lengths cost");
  EXPECT_EQ(note_of(points_at_lengths({10, 20, 30, 40}), inside, {0, 0, 0, 0}), "the total is zero");
}

// Nothing is below zero that was measured above it.
TEST(ProjectOnto, IntervalsOfWhatIsNeverNegativeEndAtZero) {
  const project::Projection p =
      projected_onto(points_at_lengths({10, 20, 30, 40}), run_at_lengths({{400, 1}}),
                     {measured_once("v1", {{"runtime_s", {1, 2, 3, 4}}, {"drift", {1, 2, 3, -4}}})});
  const auto& metrics = p.configurations.at(0).metrics;
  ASSERT_TRUE(metrics.at(0).interval && metrics.at(1).interval);
  EXPECT_EQ(metrics[0].interval->low, 0);
  EXPECT_LT(metrics[1].interval->low, 0);
}

TEST(ProjectOnto, IntervalsGrowWithTheDistanceFromWhatWasMeasured) {
  double last = 0;
  for (const std::uint32_t length : {40U, 50U, 60U, 80U, 120U}) {
    const project::Projection p = projected_onto(points_at_lengths({10, 20, 30, 40}), run_at_lengths({{length, 100}}),
                                                 {measured_once("v1", {{"runtime_s", {1, 2, 3, 4}}})});
    const project::MetricProjection& metric = p.configurations.at(0).metrics.at(0);
    EXPECT_NEAR(metric.value, 10 * length, 1e-6);
    ASSERT_TRUE(metric.interval);
    const double width = (metric.interval->high - metric.value) / metric.value;
    EXPECT_GT(width, last) << length;
    last = width;
  }
}

TEST(ProjectOnto, OneAndTwoLengthsDoNotMix) {
  select::Selection paired = points_at_lengths({10, 20, 40});
  paired.run.kind = trace::ShapeKind::padded_pair;
  trace::RunSummary pairs = run_at_lengths({{10, 1}});
  pairs.kind = trace::ShapeKind::padded_pair;
  const std::vector<project::NamedMeasurements> all = {measured_once("v1", {{"runtime_s", {1, 2, 4}}})};
  EXPECT_THROW(project::project_onto(paired, onto_run(run_at_lengths({{10, 1}})), all, {}), InputError);
  EXPECT_THROW(project::project_onto(points_at_lengths({10, 20, 40}), onto_run(pairs), all, {}), InputError);
}

}  // namespace
}  // namespace seqpoint
