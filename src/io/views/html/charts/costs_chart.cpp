// A statistic against length: every iteration where a trace tells, the points that were measured, and the curve through
// them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

constexpr double kCostsHeight = 400, kNameHeight = 18;

struct AxisRanges {
  double low = 0, high = 0, shortest = INFINITY, longest = 0;  ///< the statistic's axis begins at zero, or below it
  void include(double length_first, double length_last, double from, double to) {
    shortest = std::min(shortest, length_first);
    longest = std::max(longest, length_last);
    low = std::min(low, from);
    high = std::max(high, to);
  }
};

AxisRanges ranges_of(const report::CostFigure& costs) {
  AxisRanges ranges;
  for (const report::CostSeries& series : costs.series) {
    for (const report::CostPoint& point : series.points) {
      const auto length = static_cast<double>(point.length);
      ranges.include(length, length, point.measured.least, point.measured.most);
    }
    for (const report::CostCell& cell : series.cells)
      ranges.include(static_cast<double>(cell.length_first), static_cast<double>(cell.length_last), cell.low,
                     cell.high);
    for (const report::CurveSample& sample : series.curve)
      ranges.include(sample.length, sample.length, sample.value, sample.value);
  }
  return ranges;
}

std::string cell_tip(const report::CostSeries& series, const report::CostCell& cell, const std::string& statistic) {
  const std::string what = fmt::format("{}, length {}: {} ", series.configuration,
                                       range_text(cell.length_first, cell.length_last), statistic);
  if (!series.binned) return fmt::format("{}{} (iteration {})", what, number_text(cell.low), cell.iteration);
  return fmt::format("{}{} to {}, {}", what, number_text(cell.low), number_text(cell.high),
                     count_text(cell.iterations, "iteration"));
}

/// Cells are the stronger the more iterations they have, by the root of their number.
void draw_cells(Svg& svg, const report::CostSeries& series, const std::string& statistic, const Scale& x,
                const Scale& y) {
  std::uint64_t most = 1;
  for (const report::CostCell& cell : series.cells) most = std::max(most, cell.iterations);
  for (const report::CostCell& cell : series.cells) {
    const double from = x(static_cast<double>(cell.length_first)), top = y(cell.high);
    const std::string tip = cell_tip(series, cell, statistic);
    if (!series.binned) {
      svg.path("dot", fmt::format("M{} {}h0", pixels(from), pixels(top)), tip);
      continue;
    }
    const double share = std::sqrt(static_cast<double>(cell.iterations) / static_cast<double>(most));
    const double to = x(static_cast<double>(cell.length_last) + 1);
    svg.mark("rect",
             {{"class", "cell"},
              {"x", pixels(from)},
              {"y", pixels(top)},
              {"width", pixels(to - from)},
              {"height", pixels(std::max(1.0, y(cell.low) - top))},
              {"opacity", pixels(0.15 + 0.85 * share)}},
             tip);
  }
}

void draw_series_points(Svg& svg, const report::CostSeries& series, std::size_t index, const std::string& statistic,
                        const Scale& x, const Scale& y) {
  for (const report::CostPoint& point : series.points) {
    const project::PointMeasurement& m = point.measured;
    const double at = x(static_cast<double>(point.length));
    std::string tip = fmt::format("{}, {}, length {}: {} {}", series.configuration, m.id, point.length, statistic,
                                  number_text(m.value));
    if (m.repeats > 1)
      tip += fmt::format(" of {}, {} to {}", count_text(m.repeats, "measurement"), number_text(m.least),
                         number_text(m.most));
    svg.open_focusable("point", tip);
    if (m.repeats > 1) svg.line(at, y(m.least), at, y(m.most), "range");
    svg.mark("path", {{"class", "marker"}, {"d", marker_path(index, at, y(m.value), 5)}});
    svg.close("g");
  }
}

/// Where the name of a series stands: at the end of its curve, else at its longest point or iteration.
double end_height(const report::CostSeries& series, const Scale& y) {
  if (!series.curve.empty()) return y(series.curve.back().value);
  if (!series.points.empty()) return y(series.points.back().measured.value);
  const auto shorter = [](const report::CostCell& a, const report::CostCell& b) {
    return a.length_first < b.length_first;
  };
  return series.cells.empty() ? y.to() : y(std::max_element(series.cells.begin(), series.cells.end(), shorter)->high);
}

void draw_names(Svg& svg, const report::CostFigure& costs, const Area& area, const Scale& y) {
  std::vector<double> heights;
  for (const report::CostSeries& series : costs.series) heights.push_back(end_height(series, y));
  heights = spread_apart(heights, kNameHeight, area.top + 4, area.bottom);
  for (std::size_t s = 0; s < costs.series.size(); ++s) {
    const double at = area.right + 14;
    svg.open("g", {{"class", series_class(s)}});
    svg.mark("path", {{"class", "marker"}, {"d", marker_path(s, at, heights[s], 5)}});
    svg.text(at + 11, heights[s] + 4, Anchor::start, "label", shortened(costs.series[s].configuration, 14));
    svg.close("g");
  }
}

std::string draw_costs(const report::CostFigure& costs, report::LengthAxis axis) {
  Margins margins;
  margins.right = 130;  // names of series
  const Area area(kFullWidth, kCostsHeight, margins);
  const AxisRanges ranges = ranges_of(costs);
  const double edge = 0.02 * (ranges.longest - ranges.shortest);
  const Scale x(ranges.shortest - edge, ranges.longest + edge, area.left, area.right);
  const Scale y(ranges.low, ranges.high, area.bottom, area.top);
  Svg svg(kFullWidth, kCostsHeight, costs.statistic + " against length");
  draw_y_axis(svg, area, y, costs.statistic + " of an iteration", 6);
  draw_x_axis(svg, area, x, axis_name(axis), x_ticks(kFullWidth));
  for (std::size_t s = 0; s < costs.series.size(); ++s) {
    svg.open("g", {{"class", series_class(s)}});
    draw_cells(svg, costs.series[s], costs.statistic, x, y);
    svg.close("g");
  }
  for (std::size_t s = 0; s < costs.series.size(); ++s) {
    const report::CostSeries& series = costs.series[s];
    svg.open("g", {{"class", series_class(s)}});
    std::string d;
    for (const report::CurveSample& sample : series.curve)
      d += (d.empty() ? "M" : "L") + pixels(x(sample.length)) + " " + pixels(y(sample.value));
    if (!d.empty()) svg.path("curve", d, series.configuration + ": curve through its points");
    draw_series_points(svg, series, s, costs.statistic, x, y);
    svg.close("g");
  }
  draw_names(svg, costs, area, y);
  return svg.finish();
}

DataTable points_table(const report::CostFigure& costs, const std::string& id) {
  DataTable table{.id = id,
                  .caption = costs.statistic + " at the points",
                  .columns = {"configuration", "point", "length", "measurements", "value", "least", "most"},
                  .rows = {}};
  for (const report::CostSeries& series : costs.series)
    for (const report::CostPoint& point : series.points) {
      const project::PointMeasurement& m = point.measured;
      table.rows.push_back(
          {series.configuration, m.id, point.length, m.repeats, cell(m.value), cell(m.least), cell(m.most)});
    }
  return table;
}

DataTable curves_table(const report::CostFigure& costs, const std::string& id) {
  DataTable table{.id = id + "-curve",
                  .caption = "The curve through the points: mean over the iterations of each length",
                  .columns = {"configuration", "length", "value"},
                  .rows = {}};
  for (const report::CostSeries& series : costs.series)
    for (const report::CurveSample& sample : series.curve)
      table.rows.push_back({series.configuration, cell(sample.length), cell(sample.value)});
  return table;
}

/// Of series whose iterations are shown one by one.
DataTable iterations_table(const report::CostFigure& costs, const std::string& id) {
  DataTable table{.id = id + "-iterations",
                  .caption = "Iterations",
                  .columns = {"configuration", "iteration", "length", "value"},
                  .rows = {}};
  for (const report::CostSeries& series : costs.series)
    for (const report::CostCell& c : series.cells)
      if (!series.binned) table.rows.push_back({series.configuration, c.iteration, c.length_first, cell(c.low)});
  return table;
}

DataTable cells_table(const report::CostFigure& costs, const std::string& id) {
  DataTable table{
      .id = id + "-cells",
      .caption = "Iterations, counted in cells",
      .columns = {"configuration", "first_iteration", "iterations", "length_from", "length_to", "low", "high"},
      .rows = {}};
  for (const report::CostSeries& series : costs.series)
    for (const report::CostCell& c : series.cells)
      if (series.binned)
        table.rows.push_back({series.configuration, c.iteration, c.iterations, c.length_first, c.length_last,
                              cell(c.low), cell(c.high)});
  return table;
}

std::string words_of(const report::CostFigure& costs) {
  std::string words, iterations, binned;
  bool curve = false;
  for (const report::CostSeries& series : costs.series) {
    curve = curve || !series.curve.empty();
    if (!series.cells.empty())
      (series.binned ? binned : iterations) +=
          (series.binned ? binned : iterations).empty() ? series.configuration : ", " + series.configuration;
  }
  if (curve)
    words =
        "Marks are the points that were measured, with the range of their repeats; lines are the curves through them.";
  if (!iterations.empty()) words += fmt::format(" Every dot is an iteration as the trace has it ({}).", iterations);
  if (!binned.empty())
    words += fmt::format(
        " The iterations of the trace ({}) are too many for a dot each: they are counted in cells, stronger in colour "
        "where there are more.",
        binned);
  return words;
}

}  // namespace

std::vector<Figure> costs_figures(const report::Report& report) {
  std::vector<Figure> figures;
  for (const report::CostFigure& costs : report.costs) {
    const std::string id = figures.empty() ? "costs" : "costs-" + std::to_string(figures.size() + 1);
    std::vector<DataTable> tables;
    for (DataTable& table : std::vector{points_table(costs, id), curves_table(costs, id), iterations_table(costs, id),
                                        cells_table(costs, id)})
      if (!table.rows.empty()) tables.push_back(std::move(table));
    if (tables.empty()) continue;
    figures.push_back({.id = id,
                       .title = costs.statistic + " against length",
                       .words = words_of(costs),
                       .picture = draw_costs(costs, report.axis),
                       .tables = std::move(tables),
                       .half = false});
  }
  if (!figures.empty() && report.statistics_left_out > 0)
    figures.back().words +=
        fmt::format(" {} not shown: choose with --stat.", count_text(report.statistics_left_out, "other statistic"));
  return figures;
}

}  // namespace seqpoint::io::views::html::charts
