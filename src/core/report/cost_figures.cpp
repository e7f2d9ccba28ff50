#include "core/report/cost_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/project/run_estimator.hpp"

namespace seqpoint::report {
namespace {

/// The point of that id; null if there is none.
const select::Point* find_point(const select::Selection& selection, const std::string& id) {
  const auto same = [&](const select::Point& point) { return point.id == id; };
  const auto found = std::find_if(selection.points.begin(), selection.points.end(), same);
  return found == selection.points.end() ? nullptr : &*found;
}

/// The measured points of a metric, in its order, without those that the selection lacks.
std::vector<CostPoint> points_of(const select::Selection& selection, LengthAxis axis,
                                 const project::MeasuredMetric& metric) {
  std::vector<CostPoint> points;
  for (const project::PointMeasurement& measured : metric.points)
    if (const select::Point* const point = find_point(selection, measured.id))
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

/// Iterations that were measured, by position in the trace.
std::vector<std::size_t> measured_rows(const trace::Metric& metric) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < metric.values.size(); ++i)
    if (std::isfinite(metric.values[i])) rows.push_back(i);
  return rows;
}

/// A cell for each of `rows`, positions in the trace.
std::vector<CostCell> single_cells(const trace::Trace& trace, LengthAxis axis, const trace::Metric& metric,
                                   const std::vector<std::size_t>& rows) {
  std::vector<CostCell> cells;
  for (const std::size_t i : rows) {
    const std::uint64_t length = length_on(axis, trace.shapes[i]);
    cells.push_back({.length_first = length,
                     .length_last = length,
                     .low = metric.values[i],
                     .high = metric.values[i],
                     .iterations = 1,
                     .iteration = trace.iteration_number(i)});
  }
  return cells;
}

/// The cells of a grid that contain iterations; `rows` is not empty. Columns are whole lengths, rows equal parts of the
/// metric's range; about twice as many columns as rows, and about `most_cells` cells.
std::vector<CostCell> grid_cells(const trace::Trace& trace, LengthAxis axis, const trace::Metric& metric,
                                 const std::vector<std::size_t>& rows, std::uint64_t most_cells) {
  const auto most_rows =
      std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::sqrt(static_cast<double>(most_cells) / 2)));
  std::uint64_t shortest = UINT64_MAX, longest = 0;
  double low = metric.values[rows.front()], high = low;
  for (const std::size_t i : rows) {
    const std::uint64_t length = length_on(axis, trace.shapes[i]);
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    low = std::min(low, metric.values[i]);
    high = std::max(high, metric.values[i]);
  }
  const std::uint64_t width = bin_width(shortest, longest, 2 * most_rows);
  const double height = high > low ? (high - low) / static_cast<double>(most_rows) : 1;
  std::map<std::pair<std::uint64_t, std::uint64_t>, CostCell> grid;
  for (const std::size_t i : rows) {
    const std::uint64_t column = length_on(axis, trace.shapes[i]) / width;
    const std::uint64_t row = std::min(most_rows - 1, static_cast<std::uint64_t>((metric.values[i] - low) / height));
    const double bottom = low + static_cast<double>(row) * height;
    const CostCell fresh{.length_first = column * width,
                         .length_last = column * width + width - 1,
                         .low = bottom,
                         .high = bottom + height,
                         .iteration = trace.iteration_number(i)};
    ++grid.try_emplace({column, row}, fresh).first->second.iterations;
  }
  std::vector<CostCell> cells;
  for (const auto& [place, cell] : grid) cells.push_back(cell);
  return cells;
}

/// Sets the cells of a series from a trace: single iterations, or a grid if there are more than `most_cells`.
void add_iterations(CostSeries& series, const trace::Trace& trace, LengthAxis axis, const trace::Metric& metric,
                    std::uint64_t most_cells) {
  const std::vector<std::size_t> rows = measured_rows(metric);
  series.iterations = rows.size();
  series.binned = rows.size() > most_cells;
  if (rows.empty()) return;
  series.cells =
      series.binned ? grid_cells(trace, axis, metric, rows, most_cells) : single_cells(trace, axis, metric, rows);
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
  return figure.series.emplace_back(CostSeries{.configuration = configuration, .points = {}, .curve = {}, .cells = {}});
}

}  // namespace

CostFigure cost_figure(const ReportSource& source, LengthAxis axis, const std::string& metric,
                       std::uint64_t most_cells) {
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
      add_iterations(series_of(figure, named.name), named.trace, axis, *found, most_cells);
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
