// Projections onto another run, worked out by hand; predictions and intervals by plain elimination.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "seqpoint/error.hpp"
#include "seqpoint/project/projection.hpp"

namespace seqpoint {
namespace {

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

/// Points of equal weight that leave the batch size open.
select::Selection points_at_lengths(const std::vector<std::uint32_t>& lengths) {
  select::Selection selection;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> run;
  for (const std::uint32_t length : lengths) {
    selection.points.push_back(
        {"sp" + std::to_string(run.size() + 1), {length, {}, {}}, {3 * select::Weight::kUnit}, {run.size()}, {}});
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
    auto& repeats = all.measurements.values.emplace_back();
    for (const double value : values) repeats.push_back(std::isnan(value) ? Values{} : Values{value});
  }
  return all;
}

project::Projection projected_onto(const select::Selection& selection, const trace::RunSummary& other,
                                   std::vector<project::NamedMeasurements> configurations,
                                   const project::ProjectParams& params = {}) {
  return project::project_onto(selection, onto_run(other), configurations, params);
}

// Cost s / 10: 2 x 1.5 + 3 + 5 = 11 s; samples 4 x 2; padded tokens 2 x (30 + 30 + 50).
// As many points as free shapes leave nothing to estimate the scale from, and the shapes' amounts have a variance:
// nearly exact.
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
  EXPECT_EQ(c.coverage, 1);
  ASSERT_TRUE(p.target_run);
  EXPECT_EQ(p.target_run->run.iterations, 4U);
  EXPECT_EQ(p.target_run->extrapolated_share, 0.25);
  EXPECT_NEAR(p.target_run->largest_distance, 10 / 30.0, 1e-12);
}

/// Straight and, of four points, quadratic costs are exact.
TEST(ProjectOnto, MaximaAndRatesArePredictedForTheOtherRun) {
  project::ProjectParams params;
  params.kinds = {{"peak", project::MetricKind::max}, {"ipc", project::MetricKind::rate}};
  params.rates = {{"bandwidth", "bytes", "runtime_s"}};
  const project::NamedMeasurements straight = measured_once(
      "v1", {{"runtime_s", {1, 2, 3, 4}}, {"peak", {5, 6, 7, 8}}, {"ipc", {1, 2, 3, 4}}, {"bytes", {20, 40, 60, 80}}});
  const project::Projection p =
      projected_onto(points_at_lengths({10, 20, 30, 40}), run_at_lengths({{15, 2}, {50, 1}}), {straight}, params);
  const auto& metrics = p.configurations.at(0).metrics;
  ASSERT_EQ(metrics.size(), 5U);
  EXPECT_NEAR(metrics[1].value, 9, 1e-9) << "that of length 50";
  EXPECT_NEAR(metrics[2].value, (2 * 1.5 * 1.5 + 5 * 5) / 8, 1e-9) << "weighted by time";
  EXPECT_NEAR(metrics[4].value, 20, 1e-9);
  for (const project::MetricProjection& metric : metrics) {
    ASSERT_TRUE(metric.interval) << metric.name << ": " << metric.interval_note;
    EXPECT_TRUE(metric.interval->low < metric.value && metric.value < metric.interval->high) << metric.name;
  }
  EXPECT_NEAR(metrics[4].interval->low * metrics[4].interval->high, 400, 1e-6) << "on the logarithm";
}

TEST(ProjectOnto, AMaximumIsNoLessThanWhatWasMeasured) {
  project::ProjectParams params;
  params.kinds = {{"peak", project::MetricKind::max}};
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
  EXPECT_NEAR(speedup.value, (3 * 4 + 2 * 1.5) / (3 * 2.5 + 2 * 1.25), 1e-9);
  ASSERT_TRUE(speedup.interval);
  EXPECT_TRUE(speedup.interval->low < speedup.value && speedup.value < speedup.interval->high);
}

TEST(ProjectOnto, AMissingPointIsPredictedFromTheOthersAndCostsCoverage) {
  const project::Projection p = projected_onto(points_at_lengths({10, 20, 30, 40}), run_at_lengths({{20, 1}, {40, 1}}),
                                               {measured_once("v1", {{"runtime_s", {1, std::nan(""), 3, 4}}})});
  const project::ConfigurationProjection& c = p.configurations.at(0);
  EXPECT_NEAR(c.metrics.at(0).value, 6, 1e-5);
  EXPECT_EQ(c.coverage, 0.75);
  EXPECT_EQ(c.missing_points, std::vector<std::string>{"sp2"});
}

TEST(ProjectOnto, AnOpenBatchSizeIsTheUsualOneOfItsLength) {
  select::Selection selection = points_at_lengths({10, 20, 30, 40});
  selection.run.histogram.insert(selection.run.histogram.end() - 1, {{40, 0, 1}, 1});  // a short last batch
  ++selection.run.iterations;
  const project::Projection p =
      projected_onto(selection, run_at_lengths({{30, 1}}, 4), {measured_once("v1", {{"runtime_s", {1, 2, 3, 4}}})});
  EXPECT_NEAR(p.configurations.at(0).metrics.at(0).value, 6, 1e-9) << "twice what 30 costs at the batch size of all";
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
  params.kinds["peak_bytes"] = project::MetricKind::max;
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
  repeated.measurements.values[0][1] = {2, 9, 2};
  project::ProjectParams params;
  params.robust = true;
  EXPECT_NEAR(
      projected_onto(points_at_lengths({10, 20, 40}), run_at_lengths({{20, 1}, {40, 1}, {10, 5}}), {repeated}, params)
          .configurations.at(0)
          .metrics.at(0)
          .value,
      11, 1e-5);
}

/// The model of METHOD 4.3 for runs of one length and one batch size, of up to so many points, written out.
class KrigingByHand {
 public:
  using Rows = std::vector<std::vector<long double>>;

  KrigingByHand(const trace::RunSummary& chosen_from, Values lengths, const Values& iterations,
                const Values& measurements)
      : lengths_(std::move(lengths)) {
    for (const trace::SignatureCount& entry : chosen_from.histogram)
      mean_length_ +=
          static_cast<double>(entry.count) * entry.signature.src_len / static_cast<double>(chosen_from.iterations);
    for (std::size_t p = 0; p < lengths_.size(); ++p)
      disturbance_.push_back(std::pow(size(lengths_[p]), 2) * sigma2(iterations[p], measurements[p]));
    shapes_ = std::min<std::size_t>(3, lengths_.size() - 1);
  }

  static double sigma2(double iterations, double measurements) {
    return 0.03 * 0.03 / iterations + 0.025 * 0.025 / measurements;
  }

  /// Weights of the best linear unbiased prediction of the run's mean: universal kriging.
  Values weights(const trace::RunSummary& run) const {
    std::vector<long double> right(lengths_.size() + shapes_, 0);
    for (const auto& [s, share] : shares(run)) {
      for (std::size_t p = 0; p < lengths_.size(); ++p) right[p] += share * covariance(lengths_[p], s);
      for (std::size_t j = 0; j < shapes_; ++j) right[lengths_.size() + j] += share * shape(j, s);
    }
    return solved(right);
  }
  /// U of weights that meet the totals of the shapes.
  double variance(const Values& v, const trace::RunSummary& run) const {
    double sum = 0;
    const auto all = shares(run);
    for (std::size_t p = 0; p < v.size(); ++p) {
      sum += v[p] * v[p] * disturbance_[p];
      for (std::size_t q = 0; q < v.size(); ++q) sum += v[p] * v[q] * covariance(lengths_[p], lengths_[q]);
      for (const auto& [s, share] : all) sum -= 2 * v[p] * share * covariance(lengths_[p], s);
    }
    for (const auto& [s, share] : all) {
      sum += share * size(s) * size(s) * sigma2(1, 1) / static_cast<double>(run.iterations);
      for (const auto& [other, share_of_other] : all) sum += share * share_of_other * covariance(s, other);
    }
    return sum;
  }
  /// h of relative costs e at the points, with what other degrees and squares there are.
  double half_width(const Values& e, double confidence, double degrees = 0, double squares = 0) const {
    std::vector<long double> right(e.begin(), e.end());
    right.resize(lengths_.size() + shapes_, 0);
    const Values r = solved(right);
    for (std::size_t p = 0; p < e.size(); ++p) squares += e[p] * r[p];
    degrees += static_cast<double>(lengths_.size()) - static_cast<double>(shapes_);
    std::vector<std::pair<double, double>> scales;  // and their weights
    double all = 0;
    for (int i = -1600; i <= 1600; ++i) {
      const double x = i / 200.0, s = 1.5 * std::exp(0.5 * x);
      scales.emplace_back(s, std::exp(-x * x / 2 - degrees * std::log(s) - squares / (2 * s * s)));
      all += scales.back().second;
    }
    double low = 0, high = 1000;
    for (int i = 0; i < 100; ++i) {
      const double h = (low + high) / 2;
      double held = 0;
      for (const auto& [s, weight] : scales) held += weight / all * std::erf(h / s / std::sqrt(2.0));
      (held < confidence ? low : high) = h;
    }
    return high;
  }

 private:
  double size(double s) const { return s / mean_length_; }
  static double shape(std::size_t j, double s) { return std::pow(s / 30, static_cast<double>(j)); }  // in any unit
  double covariance(double a, double b) const {
    double sum = 0;
    for (const double scale : {4.0, 16.0, 64.0}) sum += std::exp(-std::abs(a - b) / scale) / 3;
    return 0.03 * 0.03 * size(a) * size(b) * sum;
  }
  static std::vector<std::pair<double, double>> shares(const trace::RunSummary& run) {
    std::vector<std::pair<double, double>> all;
    for (const trace::SignatureCount& entry : run.histogram)
      all.emplace_back(entry.signature.src_len, static_cast<double>(entry.count) / static_cast<double>(run.iterations));
    return all;
  }
  /// The first of x in [C F; F' 0] x = right, by Gauss and Jordan with pivots.
  Values solved(std::vector<long double> right) const {
    const std::size_t points = lengths_.size(), n = right.size();
    Rows rows(n, std::vector<long double>(n, 0));
    for (std::size_t p = 0; p < points; ++p) {
      for (std::size_t q = 0; q < points; ++q)
        rows[p][q] = covariance(lengths_[p], lengths_[q]) + (p == q ? disturbance_[p] : 0);
      for (std::size_t j = 0; j < shapes_; ++j) rows[p][points + j] = rows[points + j][p] = shape(j, lengths_[p]);
    }
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c; r < n; ++r)
        if (std::abs(rows[r][c]) > std::abs(rows[pivot][c])) pivot = r;
      std::swap(rows[c], rows[pivot]);
      std::swap(right[c], right[pivot]);
      for (std::size_t r = 0; r < n; ++r) {
        if (r == c) continue;
        const long double factor = rows[r][c] / rows[c][c];
        for (std::size_t j = c; j < n; ++j) rows[r][j] -= factor * rows[c][j];
        right[r] -= factor * right[c];
      }
    }
    Values first;
    for (std::size_t p = 0; p < points; ++p) first.push_back(static_cast<double>(right[p] / rows[p][p]));
    return first;
  }

  Values lengths_, disturbance_;
  double mean_length_ = 0;
  std::size_t shapes_ = 0;
};

double weighed(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Values costs_over(Values values, double by) {
  for (double& value : values) value /= by;
  return values;
}

double plain_mean(const Values& values) {
  return weighed(values, Values(values.size(), 1)) / static_cast<double>(values.size());
}

void expect_ends(const std::optional<project::Interval>& interval, double low, double high) {
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, low, 1e-9 * std::abs(high));
  EXPECT_NEAR(interval->high, high, 1e-9 * std::abs(high));
}

const std::vector<std::uint32_t> kOntoLengths{10, 18, 30, 44, 60};
const Values kOntoPlaces{10, 18, 30, 44, 60}, kOntoCosts{1.1, 1.7, 3.2, 4.3, 6.1};

TEST(ProjectOnto, TotalsAndIntervalsAreThoseOfKriging) {
  const trace::RunSummary other = run_at_lengths({{12, 5}, {33, 2}, {58, 9}, {75, 1}});
  for (const double confidence : {0.8, 0.95}) {
    project::ProjectParams params;
    params.confidence = confidence;
    const project::Projection p = projected_onto(points_at_lengths(kOntoLengths), other,
                                                 {measured_once("v1", {{"runtime_s", kOntoCosts}})}, params);
    const KrigingByHand plain(points_at_lengths(kOntoLengths).run, kOntoPlaces, Values(5, 1), Values(5, 1));
    const Values v = plain.weights(other);
    const double value = 17 * weighed(v, kOntoCosts), mean = plain_mean(kOntoCosts);
    const double half =
        17 * mean * std::sqrt(plain.variance(v, other)) * plain.half_width(costs_over(kOntoCosts, mean), confidence);
    const project::MetricProjection& metric = p.configurations.at(0).metrics.at(0);
    EXPECT_NEAR(metric.value, value, 1e-9 * value);
    expect_ends(metric.interval, value - half, value + half);
  }
}

TEST(ProjectOnto, IntervalsKnowHowOftenAndAtHowManyIterationsPointsWereMeasured) {
  project::NamedMeasurements named = measured_once("v1", {{"runtime_s", kOntoCosts}});
  named.measurements.values[0][1] = {1.6, 1.9, 1.6};  // of iterations 4 and 5: means 1.6 and 1.75
  named.measurements.values[0][4] = {6.0, 6.1};       // nobody knows of which
  named.measurements.iterations = {{{0}, {4, 5, 5}, {7}, {10}, {std::nullopt, std::nullopt}}};
  const Values costs{1.1, 1.7, 3.2, 4.3, 6.05};
  const KrigingByHand plain(points_at_lengths(kOntoLengths).run, kOntoPlaces, {1, 9.0 / 5, 1, 1, 1}, {1, 3, 1, 1, 2});
  const double mean_between = (1.6 + 1.75) / 2,
               squares = 2 * std::pow(1.6 / mean_between - 1, 2) / KrigingByHand::sigma2(1, 1);
  const trace::RunSummary other = run_at_lengths({{12, 5}, {33, 2}, {58, 9}});
  const Values v = plain.weights(other);
  const double value = 16 * weighed(v, costs), mean = plain_mean(costs);
  const double half =
      16 * mean * std::sqrt(plain.variance(v, other)) * plain.half_width(costs_over(costs, mean), 0.95, 1, squares);
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
  const KrigingByHand plain(selection.run, kOntoPlaces, Values(5, 1), Values(5, 1));
  const double above = plain_mean(kOntoCosts), below = plain_mean(faster);
  Values e = costs_over(kOntoCosts, above);
  for (std::size_t i = 0; i < e.size(); ++i) e[i] -= faster[i] / below;
  const double half = std::sqrt(plain.variance(Values(5, 0.2), selection.run)) * plain.half_width(e, 0.95);
  const project::Projection p = project::project(selection, all, {});
  const project::Speedup& speedup = p.configurations.at(1).speedups.at(0);
  EXPECT_NEAR(speedup.value, above / below, 1e-12);
  expect_ends(speedup.interval, above / below * std::exp(-half), above / below * std::exp(half));
}

TEST(ProjectOnto, AMaximumIsThePredictionOfItsSignature) {
  const trace::RunSummary other = run_at_lengths({{12, 5}, {75, 3}, {70, 9}}), largest = run_at_lengths({{75, 1}});
  project::ProjectParams params;
  params.kinds = {{"peak", project::MetricKind::max}};
  const KrigingByHand plain(points_at_lengths(kOntoLengths).run, kOntoPlaces, Values(5, 1), Values(5, 1));
  const Values v = plain.weights(largest);
  const double value = weighed(v, kOntoCosts), mean = plain_mean(kOntoCosts);
  const double half =
      mean * std::sqrt(plain.variance(v, largest)) * plain.half_width(costs_over(kOntoCosts, mean), 0.95);
  const project::Projection p =
      projected_onto(points_at_lengths(kOntoLengths), other, {measured_once("v1", {{"peak", kOntoCosts}})}, params);
  const project::MetricProjection& peak = p.configurations.at(0).metrics.at(0);
  EXPECT_NEAR(peak.value, value, 1e-9 * value);
  expect_ends(peak.interval, std::max(value - half, 6.1), value + half);
}

// The weights of the points left are those of kriging for the run's own mean.
TEST(ProjectOnto, AMissingPointOfTheOwnRunLeavesKrigingToTheOthers) {
  const select::Selection selection = points_at_lengths({10, 18, 30, 44, 60, 70});
  const KrigingByHand plain(selection.run, kOntoPlaces, Values(5, 1), Values(5, 1));
  const Values v = plain.weights(selection.run);
  const double value = 18 * weighed(v, kOntoCosts);
  const double half =
      value * std::sqrt(plain.variance(v, selection.run)) * plain.half_width(costs_over(kOntoCosts, value / 18), 0.95);
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
  EXPECT_EQ(metric.interval.has_value(), metric.interval_note.empty());
  return metric.interval_note;
}

TEST(ProjectOnto, WhereNoIntervalCanBeStatedItSaysWhy) {
  const trace::RunSummary inside = run_at_lengths({{15, 5}});
  EXPECT_EQ(note_of(points_at_lengths({10, 20, 30, 40}), inside, {1, 2, 3, 4}), "");
  const std::string few = "the measured points are too few, or too much alike, to tell how cost grows with the lengths";
  EXPECT_EQ(note_of(points_at_lengths({10, 20, 40}), inside, {1, 2, 4}), few);
  EXPECT_EQ(note_of(points_at_lengths({10, 20}), inside, {1, 2}), few);
  EXPECT_EQ(note_of(points_at_lengths({10}), inside, {1}),
            "one point was measured: nothing shows what the run's other lengths cost");
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
  paired.run.kind = trace::SignatureKind::padded_pair;
  trace::RunSummary pairs = run_at_lengths({{10, 1}});
  pairs.kind = trace::SignatureKind::padded_pair;
  const std::vector<project::NamedMeasurements> all = {measured_once("v1", {{"runtime_s", {1, 2, 4}}})};
  EXPECT_THROW(project::project_onto(paired, onto_run(run_at_lengths({{10, 1}})), all, {}), InputError);
  EXPECT_THROW(project::project_onto(points_at_lengths({10, 20, 40}), onto_run(pairs), all, {}), InputError);
}

}  // namespace
}  // namespace seqpoint
