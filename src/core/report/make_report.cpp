#include "core/report/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "core/project/run_estimator.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::report {

// --- Counts by length. Bins have readable widths: 1, 2 or 5 times a power of ten

namespace {

/// The multiple of `width` at or below `value`.
std::uint64_t floor_to(std::uint64_t value, std::uint64_t width) { return value - value % width; }

/// The histogram of a run's iterations by length_of(shape), in at most `most_bins` bins; no bins for an empty run.
template <class LengthOf>
LengthHistogram histogram_of(const trace::RunSummary& run, std::uint64_t most_bins, LengthOf length_of) {
  LengthHistogram histogram;
  if (run.histogram.empty()) return histogram;
  const auto length = [&](const trace::ShapeCount& entry) -> std::uint64_t { return length_of(entry.shape); };
  const auto [shortest, longest] = std::ranges::minmax(run.histogram, {}, length);
  const std::uint64_t width = histogram.width = bin_width(length(shortest), length(longest), most_bins);
  const std::uint64_t start = floor_to(length(shortest), width), end = length(longest);
  for (std::uint64_t at = start; at <= end; at += width) histogram.bins.push_back({at, at + width - 1});
  for (const trace::ShapeCount& entry : run.histogram)
    histogram.bins[(length(entry) - start) / width].iterations += entry.count;
  return histogram;
}

}  // namespace

LengthAxis length_axis(const trace::RunSummary& run, std::span<const select::Point> points) {
  if (run.kind == trace::ShapeKind::varlen) return LengthAxis::tokens;
  if (run.kind == trace::ShapeKind::padded) return LengthAxis::length;
  const bool groups = std::ranges::any_of(points, [](const select::Point& p) { return p.length_group.has_value(); });
  return groups ? LengthAxis::source : LengthAxis::both;
}

std::uint64_t length_on(LengthAxis axis, const trace::Shape& s) {
  if (axis == LengthAxis::tokens) return s.tokens;
  return axis == LengthAxis::both ? std::uint64_t{s.src_len} + s.tgt_len : s.src_len;
}

std::uint64_t bin_width(std::uint64_t low, std::uint64_t high, std::uint64_t most) {
  for (std::uint64_t decade = 1;; decade *= 10)
    for (const std::uint64_t digit : {1U, 2U, 5U})
      if (const std::uint64_t width = decade * digit; high / width - low / width < most) return width;
}

LengthHistogram length_histogram(const trace::RunSummary& run, LengthAxis axis) {
  return histogram_of(run, LengthHistogram::kMaxBins, [axis](const trace::Shape& s) { return length_on(axis, s); });
}

LengthHistogram length_histogram(const trace::RunSummary& run, trace::Dimension dimension, std::uint64_t most_bins) {
  return histogram_of(run, most_bins, [dimension](const trace::Shape& s) { return s[dimension]; });
}

// --- Measured totals of the whole run, compared with the projected ones

namespace {

/// The sum of a metric over a trace; nothing if the trace lacks it, or an iteration was not measured.
std::optional<double> total_of(const trace::Trace& trace, const std::string& name) {
  const trace::Metric* const metric = trace.find_metric(name);
  if (metric == nullptr) return std::nullopt;
  double total = 0;
  for (const double value : metric->values) {
    if (!std::isfinite(value)) return std::nullopt;
    total += value;
  }
  return total;
}

/// Overheads that the total of a metric includes, in seconds: a trace's iterations do not include them. 0 unless the
/// metric is a time.
double overheads_in(const project::Projection& projection, const project::MetricProjection& metric) {
  return projection.overheads && trace::is_time_metric(metric.name) ? projection.overheads->seconds : 0;
}

/// The configuration whose projected total is nearest to a measured one, by their ratio; its own in a tie.
std::string nearest_to(const MeasuredTotal& total, const project::Projection& projection) {
  const auto distance = [&](double projected) { return std::abs(std::log(total.measured / projected)); };
  std::string nearest = total.configuration;
  double least = distance(total.projected);
  for (const project::ConfigurationProjection& c : projection.configurations) {
    const project::MetricProjection* const metric = project::find_metric(c, total.metric);
    if (metric == nullptr || metric->kind != project::MetricKind::total || !(metric->value > 0)) continue;
    if (const double far = distance(metric->value - overheads_in(projection, *metric)); far < least) {
      least = far;
      nearest = c.name;
    }
  }
  return nearest;
}

/// Adds the comparison of each projected total that the trace has in every iteration, and that is not 0 there.
void add_totals(const project::Projection& projection, const project::ConfigurationProjection& configuration,
                const trace::NamedTrace& named, std::vector<MeasuredTotal>& totals) {
  for (const project::MetricProjection& metric : configuration.metrics) {
    if (metric.kind != project::MetricKind::total || !std::isfinite(metric.value)) continue;
    const std::optional<double> measured = total_of(named.trace, metric.name);
    if (!measured || *measured == 0) continue;
    const double beside = overheads_in(projection, metric), projected = metric.value - beside;
    MeasuredTotal total{.configuration = configuration.name,
                        .metric = metric.name,
                        .source = named.source,
                        .nearest = configuration.name,
                        .measured = *measured,
                        .projected = projected,
                        .difference = projected / *measured - 1,
                        .inside = {}};
    if (metric.interval)
      total.inside = metric.interval->low - beside <= *measured && *measured <= metric.interval->high - beside;
    if (total.inside != true) total.nearest = nearest_to(total, projection);
    totals.push_back(std::move(total));
  }
}

}  // namespace

std::vector<MeasuredTotal> measured_totals(const ReportSource& source) {
  std::vector<MeasuredTotal> totals;
  if (source.projection == nullptr || source.projection->target_run) return totals;
  for (const project::ConfigurationProjection& configuration : source.projection->configurations)
    for (const trace::NamedTrace& named : source.traces)
      if (named.name == configuration.name) add_totals(*source.projection, configuration, named, totals);
  return totals;
}

// --- Times in the order in which they were measured: what a run of one shape has instead of times by length

namespace {

constexpr std::size_t kMostOfAProcess = 500;  // on a picture some 500 pixels wide

/// Adds the times of a process, as means of so many in a row that at most kMostOfAProcess are left.
void add_process(const std::string& configuration, const std::string& process, const std::vector<double>& seconds,
                 std::vector<OrderedBatch>& order) {
  const std::size_t in_a_row = (seconds.size() + kMostOfAProcess - 1) / kMostOfAProcess;
  for (std::size_t first = 0; first < seconds.size(); first += in_a_row) {
    const std::size_t end = std::min(first + in_a_row, seconds.size());
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += seconds[i];
    order.push_back({configuration, process, first + 1, sum / static_cast<double>(end - first)});
  }
}

/// Adds the processes of a table.
void add_table(const std::string& configuration, const profile::ProfileTable& table, std::vector<OrderedBatch>& order) {
  const std::optional<std::size_t> time = table.find("runtime_s");
  if (!time) return;
  std::map<std::size_t, std::size_t> positions;
  std::vector<std::vector<double>> processes;  // in the order in which they appear
  for (const profile::ProfileRow& row : table.rows)
    if (const double seconds = table.value(row, *time); !row.warmup && std::isfinite(seconds)) {
      const std::size_t at = positions.try_emplace(table.origin(row).process, processes.size()).first->second;
      if (at == processes.size()) processes.emplace_back();
      processes[at].push_back(seconds);
    }
  for (std::size_t p = 0; p < processes.size(); ++p)
    add_process(configuration,
                processes.size() == 1 ? table.source : fmt::format("{}, process {}", table.source, p + 1), processes[p],
                order);
}

/// The times of measured iterations in the order of each process, without warm-up, and those of the traces. A process
/// of many has means of as many in a row as leave about 500.
std::vector<OrderedBatch> batches_in_order(const ReportSource& source) {
  std::vector<OrderedBatch> order;
  for (const auto& [configuration, tables] : source.tables)
    for (const profile::ProfileTable& table : tables) add_table(configuration, table, order);
  for (const trace::NamedTrace& named : source.traces)
    if (const trace::Metric* const time = named.trace.find_metric("runtime_s")) {
      std::vector<double> seconds;
      std::ranges::copy_if(time->values, std::back_inserter(seconds), [](double s) { return std::isfinite(s); });
      add_process(named.name, named.source, seconds, order);
    }
  return order;
}

}  // namespace

// --- A metric against length, for every configuration

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

/// The figure of one metric: per configuration the measured points, the fitted curve, and the iterations of the trace
/// with the same name, if there are any. No series if nothing has the metric.
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

/// Names of the metrics that are shown against length by default: those of the projection's points in their order; if
/// there are none, those of the traces.
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

}  // namespace

// --- A report

namespace {

/// The text of an error that names the trace's first iteration whose shape the run lacks, or has less often.
std::string first_other(const trace::Trace& trace, const trace::RunSummary& run) {
  std::map<std::string, std::uint64_t> left;
  const auto text = [&](const trace::Shape& s) { return text_of(run.kind, s); };
  for (const trace::ShapeCount& entry : run.histogram) left[text(entry.shape)] += entry.count;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::string here = text(trace.shapes[i]);
    if (left[here]-- > 0) continue;
    return fmt::format("has other lengths or batch sizes than the run: iteration {} has {}, {}",
                       trace.iteration_number(i), here, "which the run has not, or not as often");
  }
  return "has other lengths or batch sizes than the run";
}

}  // namespace

void require_same_run(const trace::NamedTrace& named, const trace::RunSummary& run) {
  const trace::RunSummary other = trace::summarise(named.trace);
  if (other.iterations != run.iterations)
    throw InputError(
        {named.source},
        "has " + std::to_string(other.iterations) + " iterations, but the run has " + std::to_string(run.iterations),
        "give the trace that the points were chosen from");
  if (run.loaded == 0 && other.histogram != run.histogram)
    throw InputError({named.source}, first_other(named.trace, run), "give the trace that the points were chosen from");
}

namespace {

/// Whether any measured point or trace has the metric.
bool is_known(const ReportSource& source, const std::string& metric) {
  return !cost_figure(source, LengthAxis::source, metric).series.empty();
}

/// The requested metrics; if none are, the first kMaxMetrics of metrics_of(), with the number of the others in
/// `left_out`. Throws ParameterError for a requested metric that is nowhere.
std::vector<std::string> chosen_metrics(const ReportSource& source, std::uint64_t& left_out) {
  for (const std::string& name : source.metrics)
    if (!is_known(source, name))
      throw ParameterError("metric", ": nothing of '" + name + "' is known at points or iterations",
                           "leave it out to see what there is");
  if (!source.metrics.empty()) return source.metrics;
  std::vector<std::string> names = metrics_of(source);
  if (names.size() > Report::kMaxMetrics) {
    left_out = names.size() - Report::kMaxMetrics;
    names.resize(Report::kMaxMetrics);
  }
  return names;
}

}  // namespace

Report make_report(ReportSource source) {
  Report report;
  report.source = std::move(source);
  const ReportSource& from = report.source;
  if (!from.any_draw)
    for (const trace::NamedTrace& named : from.traces) require_same_run(named, *from.run);
  report.axis =
      length_axis(*from.run, from.selection != nullptr ? std::span<const select::Point>(from.selection->points)
                                                       : std::span<const select::Point>());
  report.lengths = length_histogram(*from.run, report.axis);
  report.measured_totals = measured_totals(from);
  const std::vector<std::string> metrics = chosen_metrics(from, report.metrics_left_out);
  if (from.run->histogram.size() == 1) {
    report.order = batches_in_order(from);
    return report;
  }
  for (const std::string& name : metrics) report.costs.push_back(cost_figure(from, report.axis, name));
  return report;
}

}  // namespace seqpoint::report
