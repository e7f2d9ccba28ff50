// A metric against length: every iteration if a trace has it, the measured points, and the curve through them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

/// The axes, which cover all data; the metric's axis begins at zero, or below it.
struct CostAxes {
  Axis x{.name = "", .low = INFINITY, .high = -INFINITY}, y{.name = "", .least_step = 0};

  /// Extends the axes to a length, and to values from `from` to `to`.
  void include(double length, double from, double to) {
    x.low = std::min(x.low, length);
    x.high = std::max(x.high, length);
    y.low = std::min(y.low, from);
    y.high = std::max(y.high, to);
  }
};

/// "time" for runtime_s, else the metric's name.
std::string name_of(const report::CostFigure& costs) { return costs.metric == "runtime_s" ? "time" : costs.metric; }

CostAxes axes_of(const report::CostFigure& costs, report::LengthAxis axis) {
  CostAxes axes;
  for (const report::CostSeries& series : costs.series) {
    for (const report::CostPoint& point : series.points)
      axes.include(static_cast<double>(point.length), point.measured.least, point.measured.most);
    for (const report::CostCell& cell : series.cells)
      for (const std::uint64_t length : {cell.length_first, cell.length_last})
        axes.include(static_cast<double>(length), cell.low, cell.high);
    for (const report::CurveSample& sample : series.curve) axes.include(sample.length, sample.value, sample.value);
  }
  const double edge = 0.02 * (axes.x.high - axes.x.low);
  axes.x.low -= edge, axes.x.high += edge;
  axes.x.name = axis_name(axis);
  axes.y.name = name_of(costs) + " of a batch";
  if (!trace::is_time_metric(costs.metric)) return axes;
  const TimeUnit unit = time_unit(axes.y.high);
  axes.y.name += std::string(", ") + unit.name;
  axes.y.unit = unit.seconds;
  return axes;
}

/// Draws the iterations of a trace: each as a dot or, if the series is binned, cells that are stronger in colour where
/// there are more.
void draw_cells(Svg& svg, Plot& plot, const report::CostSeries& series, const std::string& metric) {
  std::uint64_t most = 1;
  for (const report::CostCell& cell : series.cells) most = std::max(most, cell.iterations);
  for (const report::CostCell& cell : series.cells) {
    const auto from = static_cast<double>(cell.length_first);
    const std::string what =
        fmt::format("{}, length {}: {} {}", series.configuration, range_text(cell.length_first, cell.length_last),
                    metric, number_text(cell.low));
    if (!series.binned)
      svg.path("dot", fmt::format("M{} {}h0", pixels(plot.x()(from)), pixels(plot.y()(cell.high))),
               fmt::format("{} (iteration {})", what, cell.iteration));
    else
      plot.cell("cell", from, static_cast<double>(cell.length_last) + 1, cell.low, cell.high,
                static_cast<double>(cell.iterations) / static_cast<double>(most),
                fmt::format("{} to {}, {}", what, number_text(cell.high), counted(cell.iterations, "iteration")));
  }
}

/// Draws the curve. Beyond the shortest and the longest measured point it is extrapolated, and dashed.
void draw_curve(Plot& plot, const report::CostSeries& series) {
  std::vector<std::pair<double, double>> curve;
  for (const report::CurveSample& sample : series.curve) curve.emplace_back(sample.length, sample.value);
  const auto [shortest, longest] = std::ranges::minmax(series.points, {}, &report::CostPoint::length);
  const auto length = [](const auto& at) { return at.first; };
  const auto from = std::ranges::lower_bound(curve, static_cast<double>(shortest.length), {}, length);
  const auto to = std::max(from, std::ranges::upper_bound(curve, static_cast<double>(longest.length), {}, length));
  const bool is_below = from != curve.begin(), is_above = to != curve.end();
  if (from != to) plot.line("curve", {from, to});
  if (is_below) plot.line("curve beyond", {curve.begin(), from == curve.end() ? from : from + 1});
  if (is_above) plot.line("curve beyond", {to == curve.begin() ? to : to - 1, curve.end()});
}

/// Draws the measured points, with the range of repeats if there is more than one. `index`: the series, for its mark.
void draw_series_points(Svg& svg, const Plot& plot, const report::CostSeries& series, std::size_t index,
                        const std::string& metric) {
  for (const report::CostPoint& point : series.points) {
    const project::PointMeasurement& m = point.measured;
    const double at = plot.x()(static_cast<double>(point.length));
    std::string tip =
        fmt::format("{}, {}, length {}: {} {}", series.configuration, m.id, point.length, metric, number_text(m.value));
    if (m.repeats > 1)
      tip +=
          fmt::format(" of {}, {} to {}", counted(m.repeats, "measurement"), number_text(m.least), number_text(m.most));
    svg.open_focusable("point", tip);
    if (m.repeats > 1) svg.line(at, plot.y()(m.least), at, plot.y()(m.most), "range");
    svg.mark("path", {{"class", "marker"}, {"d", marker_path(index, at, plot.y()(m.value), 5)}});
    svg.close("g");
  }
}

std::string draw_costs(const report::CostFigure& costs, report::LengthAxis axis) {
  std::vector<std::string> names;
  for (const report::CostSeries& series : costs.series) names.push_back(series.configuration);
  const Legend legend(names);
  const double top = legend.height() + Plot::kHead, bottom = top + 380;
  const CostAxes axes = axes_of(costs, axis);
  Svg svg(kPictureWidth, bottom + Plot::kFoot, costs.metric + " against length");
  legend.draw(svg);
  Plot plot(svg, top, bottom, axes.x, axes.y);
  const auto in_colour = [&](std::size_t s, auto draw) {
    svg.open("g", {{"class", series_class(s)}});
    draw(costs.series[s]);
    svg.close("g");
  };
  for (std::size_t s = 0; s < costs.series.size(); ++s)
    in_colour(s, [&](const report::CostSeries& series) { draw_cells(svg, plot, series, costs.metric); });
  for (std::size_t s = 0; s < costs.series.size(); ++s)
    in_colour(s, [&](const report::CostSeries& series) {
      if (!series.curve.empty()) draw_curve(plot, series);
      draw_series_points(svg, plot, series, s, costs.metric);
    });
  return svg.finish();
}

DataTable points_table(const report::CostFigure& costs, const std::string& id) {
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

DataTable curves_table(const report::CostFigure& costs, const std::string& id) {
  DataTable table{.columns = {"configuration", "length", "value"},
                  .id = id + "-curve",
                  .caption = "The curve through the points: mean over the iterations of each length"};
  for (const report::CostSeries& series : costs.series)
    for (const report::CurveSample& sample : series.curve)
      table.rows.push_back({series.configuration, sample.length, sample.value});
  return table;
}

DataTable iterations_table(const report::CostFigure& costs, const std::string& id) {
  DataTable table{
      .columns = {"configuration", "first_iteration", "iterations", "length_from", "length_to", "low", "high"},
      .id = id + "-iterations",
      .caption = "Iterations, each by itself or, where they are too many, counted in cells"};
  for (const report::CostSeries& series : costs.series)
    for (const report::CostCell& c : series.cells)
      table.rows.push_back(
          {series.configuration, c.iteration, c.iterations, c.length_first, c.length_last, c.low, c.high});
  return table;
}

/// The text of a figure, only about the marks that it contains.
std::string words_of(const report::CostFigure& costs) {
  std::string words, single, binned;
  bool curve = false;
  for (const report::CostSeries& series : costs.series) {
    curve = curve || !series.curve.empty();
    std::string& list = series.binned ? binned : single;
    if (!series.cells.empty()) list += (list.empty() ? "" : ", ") + series.configuration;
  }
  if (curve)
    words =
        "Marks are the measured points, with the range of their repeats; lines are the curves through them, "
        "dashed beyond the points.";
  if (!single.empty()) words += fmt::format(" Every dot is a batch of the measured run ({}).", single);
  if (!binned.empty())
    words += fmt::format(
        " The batches of the measured run ({}) are counted in cells, stronger in colour where there are more.", binned);
  return words;
}

}  // namespace

std::vector<Figure> costs_figures(const report::Report& report) {
  std::vector<Figure> figures;
  for (const report::CostFigure& costs : report.costs) {
    const std::string id = figures.empty() ? "costs" : "costs-" + std::to_string(figures.size() + 1);
    std::vector<DataTable> tables{points_table(costs, id), curves_table(costs, id), iterations_table(costs, id)};
    std::erase_if(tables, [](const DataTable& table) { return table.rows.empty(); });
    if (tables.empty()) continue;
    figures.push_back({.id = id,
                       .title = costs.metric == "runtime_s" ? "Time of a batch by length" : costs.metric + " by length",
                       .words = words_of(costs),
                       .picture = draw_costs(costs, report.axis),
                       .tables = std::move(tables),
                       .folded = !figures.empty()});
  }
  if (!figures.empty() && report.metrics_left_out > 0)
    figures.back().words +=
        fmt::format(" {} not shown: choose with --metric.", counted(report.metrics_left_out, "other metric"));
  return figures;
}

}  // namespace seqpoint::io::views::html::charts
