// What a report counts and thins out: nothing is lost on the way, and what does not belong together is refused.
#include "core/report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

/// Lengths 10, 11, ... with a metric that is twice the length.
trace::Trace trace_of_size(std::size_t n, std::uint32_t lengths) {
  trace::Trace trace;
  trace::Metric time{"runtime_s", {}};
  for (std::size_t i = 0; i < n; ++i) {
    const auto length = 10 + static_cast<std::uint32_t>((i * 7919) % lengths);
    trace.shapes.push_back({.src_len = length, .batch_size = 4});
    trace.tokens.push_back(3 * length);
    time.values.push_back(2.0 * length);
  }
  trace.metrics.push_back(time);
  return trace;
}

double total_length(const trace::Trace& trace) {
  double sum = 0;
  for (const trace::Shape& shape : trace.shapes) sum += shape.src_len;
  return sum;
}

select::Selection selection_of(const trace::Trace& trace) {
  select::SelectParams params;
  params.method = "bins";
  params.points = 3;
  return select::select(trace, params);
}

template <class Range, class Of>
std::uint64_t sum(const Range& range, Of of) {
  std::uint64_t all = 0;
  for (const auto& entry : range) all += of(entry);
  return all;
}

TEST(Report, BinsAreAsFewAsAskedForAndNoWiderThanNeeded) {
  EXPECT_EQ(report::bin_width(7, 7, 100), 1U);
  EXPECT_EQ(report::bin_width(1, 100, 100), 1U);
  EXPECT_EQ(report::bin_width(0, 100, 100), 2U);
  EXPECT_EQ(report::bin_width(40, 617, 100), 10U);
  EXPECT_EQ(report::bin_width(9, 10, 1), 20U);  // bins begin at multiples: at 0 those of 10 and 5, too
  EXPECT_EQ(report::bin_width(1, 4'000'000'000, 100), 50'000'000U);
}

TEST(Report, HistogramHoldsEveryIterationOnce) {
  for (const std::uint32_t lengths : {1U, 90U, 101U, 5000U}) {
    const trace::RunSummary run = trace::summarise(trace_of_size(20'000, lengths));
    const report::LengthHistogram histogram = report::length_histogram(run, report::LengthAxis::length);
    EXPECT_LE(histogram.bins.size(), report::LengthHistogram::kMaxBins);
    EXPECT_LE(report::length_histogram(run, trace::Dimension::src_len, 12).bins.size(), 12U);
    EXPECT_EQ(sum(histogram.bins, [](const report::LengthBin& b) { return b.iterations; }), 20'000U);
    for (const report::LengthBin& bin : histogram.bins) EXPECT_EQ(bin.last - bin.first + 1, histogram.width);
  }
}

TEST(Report, BandsHaveTheMiddleOfEveryRangeOfLengths) {
  trace::Trace trace = trace_of_size(40'000, 200);
  for (std::size_t i = 0; i < trace.size(); ++i)  // at every length 0 to 99, evenly
    trace.metrics[0].values[i] = static_cast<double>(i / 200 % 100);
  const std::vector<trace::NamedTrace> traces{{"v1", trace, "v1.csv"}};
  const trace::RunSummary run = trace::summarise(trace);
  const report::Report report = report::make_report({&run, nullptr, nullptr, nullptr, traces, {}});
  const report::CostSeries& series = report.costs.at(0).series.at(0);
  EXPECT_LE(series.bands.size(), 40U);
  EXPECT_EQ(sum(series.bands, [](const report::CostBand& b) { return b.iterations; }), 40'000U);
  for (const report::CostBand& band : series.bands) {
    EXPECT_NEAR(band.low, 9.9, 0.2);
    EXPECT_NEAR(band.median, 49.5, 0.2);
    EXPECT_NEAR(band.high, 89.1, 0.2);
  }
  EXPECT_TRUE(series.outliers.empty()) << "none is farther from the quartiles than they are apart";
}

TEST(Report, OutliersAreTheFarthestAndTheOthersAreCounted) {
  trace::Trace trace = trace_of_size(20'000, 100);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    double& value = trace.metrics[0].values[i];
    value = 100 + static_cast<double>(i / 100 % 10);
    if (i % 100 == 50) value = 1000 + static_cast<double>(i);
  }
  const std::vector<trace::NamedTrace> traces{{"v1", trace, "v1.csv"}};
  const trace::RunSummary run = trace::summarise(trace);
  const report::Report report = report::make_report({&run, nullptr, nullptr, nullptr, traces, {}});
  const report::CostSeries& series = report.costs.at(0).series.at(0);
  EXPECT_EQ(series.outliers.size(), report::CostSeries::kMaxOutliers);
  EXPECT_EQ(series.outliers_left_out, 100U) << "200 of 20,000 are slow";
  EXPECT_EQ(series.outliers.front().iteration, 10'050U) << "the later ones are slower";
  EXPECT_DOUBLE_EQ(series.outliers.front().value, 11'050);
}

TEST(Report, ARunOfOneShapeHasItsTimesInOrder) {
  const std::vector<trace::NamedTrace> traces{{"v1", trace_of_size(1000, 1), "v1.csv"}};
  const trace::RunSummary run = trace::summarise(traces.front().trace);
  const report::Report report = report::make_report({&run, nullptr, nullptr, nullptr, traces, {}});
  EXPECT_TRUE(report.costs.empty());
  ASSERT_EQ(report.order.size(), 500U) << "two of a thousand are drawn as one";
  EXPECT_EQ(report.order[1].number, 3U);
  EXPECT_DOUBLE_EQ(report.order[1].seconds, 20);
}

TEST(Report, CurvesGoNearlyThroughPointsOfAStraightCost) {
  const trace::Trace trace = trace_of_size(2000, 120);
  const select::Selection selection = selection_of(trace);
  project::Projection projection;
  project::ConfigurationProjection& c = projection.configurations.emplace_back();
  c.name = "v1";
  c.measured.push_back({"runtime_s", {}});
  for (const select::Point& point : selection.points) {
    const double value = 2.0 * static_cast<double>(point.shape.src_len);
    c.measured[0].points.push_back({point.id, 1, value, value, value});
  }
  const report::Report report = report::make_report({&selection.run, &selection, &projection, nullptr, {}, {}});
  const report::CostSeries& series = report.costs.at(0).series.at(0);
  ASSERT_EQ(series.points.size(), selection.points.size());
  ASSERT_GT(series.curve.size(), 50U);
  for (const report::CurveSample& sample : series.curve) EXPECT_NEAR(sample.value, 2 * sample.length, 0.05);
}

TEST(Report, TracesOfOtherRunsAreRefused) {
  const trace::Trace trace = trace_of_size(400, 100);
  const trace::RunSummary run = trace::summarise(trace);
  const std::vector<trace::NamedTrace> shorter{{"a", trace_of_size(399, 100), "a.csv"}},
      other{{"b", trace_of_size(400, 99), "b.csv"}}, same{{"c", trace, "c.csv"}};
  EXPECT_THROW(report::make_report({&run, nullptr, nullptr, nullptr, shorter, {}}), InputError);
  EXPECT_THROW(report::make_report({&run, nullptr, nullptr, nullptr, other, {}}), InputError);
  EXPECT_THROW(report::make_report({&run, nullptr, nullptr, nullptr, same, {"energy_j"}}), UsageError);
  EXPECT_NO_THROW(report::make_report({&run, nullptr, nullptr, nullptr, same, {"runtime_s"}}));
}

/// Of a configuration "a" and its runtime_s.
project::Projection projection_of(double value, const project::IntervalOrReason& interval) {
  project::MetricProjection metric;
  metric.name = "runtime_s";
  metric.value = value;
  metric.interval = interval;
  project::ConfigurationProjection configuration;
  configuration.name = "a";
  configuration.metrics = {metric};
  project::Projection projection;
  projection.baseline = "a";
  projection.configurations = {configuration};
  return projection;
}

std::vector<report::MeasuredTotal> measured(const project::Projection& projection, const trace::Trace& trace,
                                            const std::string& name = "a") {
  const trace::RunSummary run = trace::summarise(trace);
  const std::vector<trace::NamedTrace> traces{{name, trace, "a.csv"}};
  return report::make_report({&run, nullptr, &projection, nullptr, traces, {}}).measured_totals;
}

TEST(Report, ARunMeasuredInFullStandsBesideItsProjection) {
  trace::Trace trace = trace_of_size(400, 100);
  const double total = 2 * total_length(trace);
  const auto high = measured(projection_of(1.1 * total, project::Interval{1.05 * total, 1.15 * total}), trace);
  ASSERT_EQ(high.size(), 1U);
  EXPECT_EQ(high[0].configuration + high[0].metric, "aruntime_s");
  EXPECT_DOUBLE_EQ(high[0].measured, total);
  EXPECT_NEAR(high[0].difference, 0.1, 1e-12);
  EXPECT_EQ(high[0].inside, false);
  const auto wide = measured(projection_of(1.1 * total, project::Interval{0.9 * total, 1.3 * total}), trace);
  EXPECT_EQ(wide.at(0).inside, true);
  EXPECT_EQ(measured(projection_of(total, {}), trace).at(0).inside, std::nullopt);
  EXPECT_TRUE(measured(projection_of(total, {}), trace, "b").empty()) << "of another configuration";
  trace.metrics[0].values[7] = NAN;
  EXPECT_TRUE(measured(projection_of(total, {}), trace).empty()) << "not all of it was measured";
}

TEST(Report, OverheadsAndOtherRunsAreInNoTrace) {
  const trace::Trace trace = trace_of_size(400, 100);
  const double total = 2 * total_length(trace);
  project::Projection projection = projection_of(total + 50, project::Interval{total + 40, total + 60});
  projection.overheads = project::Overheads{50, 50};
  const auto totals = measured(projection, trace);
  EXPECT_DOUBLE_EQ(totals.at(0).projected, total);
  EXPECT_NEAR(totals[0].difference, 0, 1e-12);
  EXPECT_EQ(totals[0].inside, true);
  projection.target_run = project::TargetRun{};
  EXPECT_TRUE(measured(projection, trace).empty());
}

TEST(Report, PairsOfPointsThatStandForASourceLengthGoBySource) {
  trace::RunSummary run;
  EXPECT_EQ(report::length_axis(run, {}), report::LengthAxis::length);
  run.kind = trace::ShapeKind::padded_pair;
  EXPECT_EQ(report::length_axis(run, {}), report::LengthAxis::both);
  std::vector<select::Point> points{{"sp1", {10, 7, 4}, {}, {0}, {}, {}}};
  EXPECT_EQ(report::length_axis(run, points), report::LengthAxis::both);
  points[0].length_group = 10;
  EXPECT_EQ(report::length_axis(run, points), report::LengthAxis::source);
  EXPECT_EQ(report::length_on(report::LengthAxis::both, trace::Shape{10, 7, 4}), 17U);
}

}  // namespace
}  // namespace seqpoint
