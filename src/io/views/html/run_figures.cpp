// Figures of a run: a metric by length or by order, the lengths, the numbers of points, and the methods of an
// evaluation.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/figure.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html {
namespace {

// --- a metric by length

DataTable points_data(const report::CostFigure& costs, const std::string& id) {
  DataTable table{.columns = {"configuration", "point", "length", "measurements", "value", "least", "most"},
                  .id = id,
                  .caption = costs.metric + " at the points"};
  for (const report::CostSeries& series : costs.series)
    for (const report::CostPoint& point : series.points) {
      const project::PointMeasurement& m = point.measured;
      table.rows.push_back({series.configuration, m.id, point.length, m.repeats, m.value, m.least, m.most});
    }
  return table;
}

DataTable curves_data(const report::CostFigure& costs, const std::string& id) {
  DataTable table{.columns = {"configuration", "length", "value"},
                  .id = id + "-curve",
                  .caption = "The curve through the points: mean over the batches of each length"};
  const bool is_time = trace::is_time_metric(costs.metric);  // which is not below 0, whatever the model says
  for (const report::CostSeries& series : costs.series)
    for (const report::CurveSample& sample : series.curve)
      table.rows.push_back({series.configuration, sample.length, is_time ? std::max(sample.value, 0.0) : sample.value});
  return table;
}

DataTable bands_data(const report::CostFigure& costs, const std::string& id) {
  DataTable table{.columns = {"configuration", "length_from", "length_to", "batches", "p10", "median", "p90"},
                  .id = id + "-batches",
                  .caption = "The batches of the whole run: 10 % are below p10, 90 % below p90"};
  for (const report::CostSeries& series : costs.series)
    for (const report::CostBand& band : series.bands)
      table.rows.push_back(
          {series.configuration, band.first, band.last, band.iterations, band.low, band.median, band.high});
  return table;
}

DataTable outliers_data(const report::CostFigure& costs, const std::string& id) {
  DataTable table{.columns = {"configuration", "iteration", "length", "value"},
                  .id = id + "-outliers",
                  .caption =
                      "Batches far from the others of their length: more than 1.5 times the distance of the "
                      "quartiles beyond them"};
  for (const report::CostSeries& series : costs.series)
    for (const report::CostOutlier& outlier : series.outliers)
      table.rows.push_back({series.configuration, outlier.iteration, outlier.length, outlier.value});
  return table;
}

/// What the marks are, of those that the figure has.
std::string words_of(const report::CostFigure& costs) {
  std::string words;
  bool curve = false, bands = false;
  std::uint64_t left_out = 0;
  for (const report::CostSeries& series : costs.series) {
    curve = curve || !series.curve.empty();
    bands = bands || !series.bands.empty();
    left_out += series.outliers_left_out;
  }
  if (curve) words = "Marks are the measured points; lines are the curves through them, dashed beyond the points. ";
  if (bands)
    words +=
        "Bands have the middle 80 % of the batches of the measured run, with their median; small dots are batches "
        "far from the others. ";
  if (left_out > 0) words += fmt::format("{} not shown. ", counted(left_out, "nearer one"));
  return words;
}

Figure figure_of(const report::CostFigure& costs, const std::string& id) {
  Figure figure{
      .id = id,
      .chart = "byLength",
      .title = costs.metric == "runtime_s" ? "Time of a batch by length" : costs.metric + " by length",
      .words = words_of(costs),
      .tables = {points_data(costs, id), curves_data(costs, id), bands_data(costs, id), outliers_data(costs, id)},
      .metric = costs.metric};
  std::erase_if(figure.tables, [](const DataTable& table) { return table.rows.empty(); });
  return figure;
}

/// The times of a run of one shape by their order: by length there is nothing to see.
Figure order_figure(const report::Report& report) {
  DataTable table{.columns = {"configuration", "process", "batch", "seconds"},
                  .id = "order",
                  .caption = "Times in the order of their process"};
  for (const report::OrderedBatch& batch : report.order)
    table.rows.push_back({batch.configuration, batch.process, batch.number, batch.seconds});
  return {.id = "order",
          .chart = "byOrder",
          .title = "Time of a batch by its order",
          .words = "All batches have one shape. Each line is a process: a slope is a drift, a step a disturbance.",
          .tables = {std::move(table)},
          .metric = "runtime_s"};
}

// --- lengths and points

DataTable lengths_data(const report::Report& report) {
  DataTable table{
      .columns = {"from", "to", "iterations"}, .id = "lengths", .caption = "Batches by " + axis_name(report.axis)};
  for (const report::LengthBin& bin : report.lengths.bins)
    if (bin.iterations > 0) table.rows.push_back({bin.first, bin.last, bin.iterations});
  return table;
}

/// The points of the selection. The columns are keys of points.json, with only those that the selection uses, and the
/// length on the axis.
DataTable selection_data(const report::Report& report) {
  const trace::RunSummary& run = *report.source.run;
  const std::vector<select::Point>& points = report.source.selection->points;
  const bool groups = std::ranges::any_of(points, [](const auto& point) { return point.length_group.has_value(); });
  const bool phases = !run.phases.empty(), advised = report.source.selection->method.repeats.has_value();
  DataTable table{.columns = {"id"}, .id = "points", .caption = "Points: weights are the batches that they stand for"};
  // A run of one length has the column of target lengths too.
  const std::span<const trace::Dimension> dimensions =
      trace::dimensions_of(trace::kind_of(trace::properties_of(run.kind).layout, true));
  for (const trace::Dimension d : dimensions) table.columns.emplace_back(trace::name_of(d));
  if (groups) table.columns.emplace_back("length_group");
  if (phases) table.columns.emplace_back("phase");
  for (const char* const key : {"weight", "share", "iteration"}) table.columns.emplace_back(key);
  if (advised) table.columns.emplace_back("repeats");
  table.columns.emplace_back("length");
  for (const select::Point& point : points) {
    const double share = std::round(point.weight.iterations() / static_cast<double>(run.iterations) * 1e9) / 1e9;
    std::vector<Cell>& row = table.rows.emplace_back(std::vector<Cell>{point.id});
    const auto parts = trace::PartialShape::of(run.kind, point.shape);
    for (const trace::Dimension d : dimensions) row.emplace_back(parts[d]);
    if (groups) row.emplace_back(point.length_group);
    if (phases) row.emplace_back(point.phase);
    row.insert(row.end(), {point.weight.iterations(), share, point.iterations.front()});
    if (advised) row.emplace_back(point.repeats);
    row.emplace_back(report::length_on(report.axis, point.shape));
  }
  return table;
}

/// Removes numbers of points whose error is not known, such as 1.
std::vector<select::NumberOfPointsRecord> with_known_error(std::vector<select::NumberOfPointsRecord> sizes) {
  std::erase_if(sizes, [](const auto& size) { return !std::isfinite(size.expected.total()); });
  return sizes;
}

/// Whether the selection has this number of points in the phase of the record.
bool is_chosen(const report::Report& report, const select::NumberOfPointsRecord& size) {
  const auto in_phase = [&](const select::Point& point) { return point.phase == size.phase; };
  return static_cast<std::int64_t>(size.points) == std::ranges::count_if(report.source.selection->points, in_phase);
}

}  // namespace

std::vector<Figure> costs_figures(const report::Report& report) {
  if (!report.order.empty()) return {order_figure(report)};
  std::vector<Figure> figures;
  for (const report::CostFigure& costs : report.costs) {
    Figure figure = figure_of(costs, figures.empty() ? "costs" : "costs-" + std::to_string(figures.size() + 1));
    if (!figure.tables.empty()) figures.push_back(std::move(figure));
  }
  if (!figures.empty() && report.metrics_left_out > 0)
    figures.back().words +=
        fmt::format("{} not shown: choose with --metric.", counted(report.metrics_left_out, "other metric"));
  return figures;
}

std::vector<Figure> lengths_figures(const report::Report& report) {
  if (report.lengths.bins.size() < 2) return {};  // one bar says nothing
  const std::uint64_t width = report.lengths.width;
  Figure figure{.id = "lengths",
                .chart = "lengths",
                .title = "Lengths of the batches",
                .words = fmt::format("Bars are the batches of the run{}.",
                                     width > 1 ? fmt::format(", in ranges of {} lengths", width) : ""),
                .tables = {lengths_data(report)}};
  if (report.source.selection == nullptr) return {std::move(figure)};
  figure.words += " Discs are the points, at the number of batches that each stands for.";
  figure.tables.push_back(selection_data(report));
  return {std::move(figure)};
}

std::vector<Figure> numbers_of_points_figures(const report::Report& report) {
  if (report.source.selection == nullptr || report.source.projection != nullptr) return {};  // before measuring
  const auto sizes = with_known_error(report.source.selection->method.numbers_of_points);
  if (sizes.size() < 2) return {};  // no curve, for example if the user gave one number
  DataTable table{.columns = {"points", "expected_error_pct", "noise_pct", "representation_pct", "n_eff", "chosen"},
                  .id = "sizes",
                  .caption = "Expected error by number of points"};
  const bool phases = sizes.back().phase > 0;
  if (phases) table.columns.emplace_back("phase");
  for (const select::NumberOfPointsRecord& size : sizes) {
    table.rows.push_back({size.points, 100 * size.expected.total(), 100 * size.expected.noise,
                          100 * size.expected.representation, size.effective_sample_size,
                          is_chosen(report, size) ? "yes" : ""});
    if (phases) table.rows.back().emplace_back(size.phase);
  }
  return {{.id = "sizes",
           .chart = "sizes",
           .title = "How many points",
           .words = "The expected error of a projected total: measurement noise plus interpolation error, each point "
                    "measured as often as is advised. The large disc is the choice.",
           .tables = {std::move(table)}}};
}

std::vector<Figure> methods_figures(const report::Report& report) {
  if (report.source.evaluation == nullptr || report.source.evaluation->methods.empty()) return {};
  const evaluate::Evaluation& evaluation = *report.source.evaluation;
  DataTable table = evaluation_rows(evaluation);
  table.id = "methods";
  table.caption = "Errors are signed, in percent of the measured total; reductions are the full run over the points";
  return {{.id = "methods",
           .chart = "methods",
           .title = "Errors of the methods",
           .words = fmt::format("How far projections of {} are from the run as measured (RMS), over {} of which "
                                "batches were profiled.",
                                evaluation.metric, counted(evaluation.draws, "draw")),
           .tables = {std::move(table)}}};
}

}  // namespace seqpoint::io::views::html
