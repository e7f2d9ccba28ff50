// A metric against length, for every configuration.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/project/run_estimator.hpp"
#include "core/report/report.hpp"

namespace seqpoint::report {
namespace {

/// The measured points of a metric, in its order, without those that the selection lacks.
std::vector<CostPoint> points_of(const select::Selection& selection, LengthAxis axis,
                                 const project::MeasuredMetric& metric) {
  std::vector<CostPoint> points;
  for (const project::PointMeasurement& measured : metric.points)
    if (const auto point = std::ranges::find(selection.points, measured.id, &select::Point::id);
        point != selection.points.end())
      points.push_back({.id = measured.id, .length = length_on(axis, point->shape), .measured = measured});
  return points;
}

/// The batch size of more than half of the iterations; nothing if there is none. The curve leaves out other sizes, such
/// as short last batches, which would make it jagged.
std::optional<std::uint32_t> usual_batch_size(const trace::RunSummary& run) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const trace::ShapeCount& entry : run.histogram) counts[entry.shape.batch_size] += entry.count;
  for (const auto& [size, count] : counts)
    if (2 * count > run.iterations) return size;
  return std::nullopt;
}

/// The predicted cost by length, one sample per bin of length_histogram() that has iterations of the usual batch size.
/// Empty for fewer than two measured points, or more than can be fitted.
std::vector<CurveSample> curve_of(const trace::RunSummary& run, LengthAxis axis, const select::Selection& selection,
                                  const project::MeasuredMetric& metric) {
  project::MeasuredPoints measured;
  for (std::size_t p = 0; p < selection.points.size(); ++p)
    for (const project::PointMeasurement& point : metric.points) {
      if (point.id != selection.points[p].id) continue;
      measured.counts.points.push_back(p);
      measured.counts.iterations.push_back(1);
      measured.counts.measurements.push_back(static_cast<double>(point.repeats));
      measured.values.push_back(point.value);
    }
  if (measured.values.size() < 2) return {};
  const project::RunEstimator estimator(selection, &run);
  const Eigen::VectorXd costs = estimator.curve(estimator.fit(measured.counts), measured);
  if (costs.size() == 0) return {};
  const std::optional<std::uint32_t> usual = usual_batch_size(run);
  struct SumOfCell {
    double length = 0, value = 0, count = 0;
  };
  std::map<std::uint64_t, SumOfCell> sums;
  const std::uint64_t width = length_histogram(run, axis).width;
  for (std::size_t g = 0; g < run.histogram.size(); ++g) {
    const trace::ShapeCount& entry = run.histogram[g];
    if (usual && entry.shape.batch_size != *usual) continue;
    const std::uint64_t length = length_on(axis, entry.shape);
    SumOfCell& sum = sums[length / width];
    const auto count = static_cast<double>(entry.count);
    sum.length += count * static_cast<double>(length);
    sum.value += count * costs[g];
    sum.count += count;
  }
  std::vector<CurveSample> samples;
  for (const auto& [bin, sum] : sums) samples.push_back({sum.length / sum.count, sum.value / sum.count});
  return samples;
}

/// An iteration of a trace.
struct Timed {
  std::uint64_t iteration = 0, length = 0;
  double value = 0;
};

/// The measured iterations by the range of lengths that each is in, by value within a range.
std::map<std::uint64_t, std::vector<Timed>> by_range(const trace::Trace& trace, LengthAxis axis,
                                                     const trace::Metric& metric, std::uint64_t width) {
  std::map<std::uint64_t, std::vector<Timed>> ranges;
  for (std::size_t i = 0; i < metric.values.size(); ++i) {
    if (!std::isfinite(metric.values[i])) continue;
    const std::uint64_t length = length_on(axis, trace.shapes[i]);
    ranges[length / width].push_back({trace.iteration_number(i), length, metric.values[i]});
  }
  for (auto& [range, timed] : ranges) std::ranges::stable_sort(timed, {}, &Timed::value);
  return ranges;
}

/// The value below which a share of the iterations is, linear between neighbours. Iterations ascend by value.
double quantile(const std::vector<Timed>& timed, double share) {
  const double at = share * static_cast<double>(timed.size() - 1);
  const auto below = static_cast<std::size_t>(at), above = std::min(below + 1, timed.size() - 1);
  const double part = at - static_cast<double>(below);
  return timed[below].value + part * (timed[above].value - timed[below].value);
}

/// An outlier and its distance from the median of its band.
using Distant = std::pair<double, CostOutlier>;

/// Adds the outliers among the iterations of a band.
void add_outliers(const std::vector<Timed>& timed, std::vector<Distant>& outliers) {
  const double lower = quantile(timed, 0.25), upper = quantile(timed, 0.75), median = quantile(timed, 0.5);
  const double reach = 1.5 * (upper - lower);
  for (const Timed& t : timed)
    if (t.value < lower - reach || t.value > upper + reach)
      outliers.emplace_back(std::abs(t.value - median), CostOutlier{t.iteration, t.length, t.value});
}

/// Keeps the outliers that are farthest from their medians, in the order of the run.
void keep_farthest(std::vector<Distant> outliers, CostSeries& series) {
  std::ranges::stable_sort(outliers, std::ranges::greater{}, &Distant::first);
  const std::size_t kept = std::min(outliers.size(), CostSeries::kMaxOutliers);
  series.outliers_left_out = outliers.size() - kept;
  for (std::size_t i = 0; i < kept; ++i) series.outliers.push_back(outliers[i].second);
  std::ranges::sort(series.outliers, {}, &CostOutlier::iteration);
}

/// Sets the bands and outliers of a series from a trace.
void add_iterations(CostSeries& series, const trace::RunSummary& run, const trace::Trace& trace, LengthAxis axis,
                    const trace::Metric& metric) {
  constexpr std::uint64_t kMostBands = 40;  // of a thousand batches, some 25 each
  const std::vector<LengthBin> bins = length_histogram(run, axis).bins;
  const std::uint64_t width = bin_width(bins.front().first, bins.back().last, kMostBands);
  std::vector<Distant> outliers;
  for (const auto& [range, timed] : by_range(trace, axis, metric, width)) {
    series.bands.push_back({.first = range * width,
                            .last = range * width + width - 1,
                            .iterations = timed.size(),
                            .low = quantile(timed, 0.1),
                            .median = quantile(timed, 0.5),
                            .high = quantile(timed, 0.9)});
    add_outliers(timed, outliers);
  }
  keep_farthest(std::move(outliers), series);
}

/// The measured metric of that name; null if it was measured at no point.
const project::MeasuredMetric* find_metric(const project::ConfigurationProjection& configuration,
                                           const std::string& name) {
  for (const project::MeasuredMetric& metric : configuration.measured)
    if (metric.name == name && !metric.points.empty()) return &metric;
  return nullptr;
}

/// The series of that configuration, added if there is none. The reference is valid until the next one is added.
CostSeries& series_of(CostFigure& figure, const std::string& configuration) {
  for (CostSeries& series : figure.series)
    if (series.configuration == configuration) return series;
  return figure.series.emplace_back(
      CostSeries{.configuration = configuration, .points = {}, .curve = {}, .bands = {}, .outliers = {}});
}

}  // namespace

CostFigure cost_figure(const ReportSource& source, LengthAxis axis, const std::string& metric) {
  CostFigure figure{metric, {}};
  if (source.projection != nullptr && source.selection != nullptr)
    for (const project::ConfigurationProjection& configuration : source.projection->configurations)
      if (const project::MeasuredMetric* const measured = find_metric(configuration, metric)) {
        CostSeries& series = series_of(figure, configuration.name);
        series.points = points_of(*source.selection, axis, *measured);
        series.curve = curve_of(*source.run, axis, *source.selection, *measured);
      }
  for (const trace::NamedTrace& named : source.traces)
    if (const trace::Metric* const found = named.trace.find_metric(metric))
      add_iterations(series_of(figure, named.name), *source.run, named.trace, axis, *found);
  return figure;
}

std::vector<std::string> metrics_of(const ReportSource& source) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (source.projection != nullptr)
    for (const project::ConfigurationProjection& configuration : source.projection->configurations)
      for (const project::MeasuredMetric& metric : configuration.measured)
        if (!metric.points.empty()) add(metric.name);
  const bool chosen = !names.empty();  // then other columns of the traces are shown only on request
  for (const trace::NamedTrace& named : source.traces)
    for (const trace::Metric& metric : named.trace.metrics)
      if (!chosen) add(metric.name);
  return names;
}

}  // namespace seqpoint::report
