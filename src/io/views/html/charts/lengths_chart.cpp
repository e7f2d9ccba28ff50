// How often each length occurs, and above it the points with the iterations that they represent.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

/// Draws the points at their lengths and weights. `bottom`: lower end of the plot in pixels.
void draw_points(Svg& svg, const report::Report& report, double bottom, Axis x) {
  const std::vector<select::Point>& points = report.source.selection->points;
  x.name.clear();  // the plot below shows the numbers
  Axis y{.name = "batches that a point stands for"};
  for (const select::Point& point : points) y.high = std::max(y.high, point.weight.iterations());
  Plot plot(svg, Plot::kHead, bottom, x, y);
  for (const select::Point& point : points) {
    const std::uint64_t length = report::length_on(report.axis, point.shape);
    const double share = point.weight.iterations() / static_cast<double>(report.source.run->iterations);
    plot.add({.x = static_cast<double>(length),
              .y = point.weight.iterations(),
              .label = &point == &points.front() || &point == &points.back() ? point.id : "",
              .tip = fmt::format("{}: {} {}, represents {} iterations ({}); profile iteration {}", point.id,
                                 axis_name(report.axis), length, weight_text(point.weight), percent_text(share),
                                 point.iterations.front()),
              .stem = true});
  }
  plot.finish();
}

std::string draw_lengths(const report::Report& report) {
  constexpr double kPlane = 170;
  const std::vector<report::LengthBin>& bins = report.lengths.bins;
  const double edge = 0.5 + 0.5 * static_cast<double>(report.lengths.width);
  const Axis x{.name = axis_name(report.axis),
               .low = static_cast<double>(bins.front().first) - edge,
               .high = static_cast<double>(bins.back().last) + edge};
  Axis y{.name = "batches"};
  for (const report::LengthBin& bin : bins) y.high = std::max(y.high, static_cast<double>(bin.iterations));
  const bool points = report.source.selection != nullptr;
  const double top = Plot::kHead + (points ? kPlane + Plot::kFoot : 0), bottom = top + kPlane;
  Svg svg(kPictureWidth, bottom + Plot::kFoot, "Histogram of lengths");
  if (points) draw_points(svg, report, Plot::kHead + kPlane, x);
  Plot plot(svg, top, bottom, x, y);
  for (const report::LengthBin& bin : bins)
    if (bin.iterations > 0)
      plot.bar("bar", static_cast<double>(bin.first) - 0.5, static_cast<double>(bin.last) + 0.5,
               static_cast<double>(bin.iterations),
               fmt::format("{} {}: {}", axis_name(report.axis), range_text(bin.first, bin.last),
                           counted(bin.iterations, "iteration")));
  return svg.finish();
}

DataTable lengths_table(const report::Report& report) {
  DataTable table{
      .columns = {"from", "to", "iterations"}, .id = "lengths", .caption = "Iterations by " + axis_name(report.axis)};
  for (const report::LengthBin& bin : report.lengths.bins) table.rows.push_back({bin.first, bin.last, bin.iterations});
  return table;
}

/// The points of the selection. The columns are keys of points.json, with only those that the selection uses.
DataTable points_table(const report::Report& report) {
  const trace::RunSummary& run = *report.source.run;
  const bool groups = std::ranges::any_of(report.source.selection->points,
                                          [](const select::Point& point) { return point.length_group.has_value(); });
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
  for (const select::Point& point : report.source.selection->points) {
    const double share = std::round(point.weight.iterations() / static_cast<double>(run.iterations) * 1e9) / 1e9;
    std::vector<Cell>& row = table.rows.emplace_back(std::vector<Cell>{point.id});
    const auto parts = trace::PartialShape::of(run.kind, point.shape);
    for (const trace::Dimension d : dimensions) row.emplace_back(parts[d]);
    if (groups) row.emplace_back(point.length_group);
    if (phases) row.emplace_back(point.phase);
    row.insert(row.end(), {point.weight.iterations(), share, point.iterations.front()});
    if (advised) row.emplace_back(point.repeats);
  }
  return table;
}

}  // namespace

std::vector<Figure> lengths_figures(const report::Report& report) {
  if (report.lengths.bins.empty()) return {};
  Figure figure{"lengths", "Lengths of the batches", "", draw_lengths(report), {lengths_table(report)}};
  const std::uint64_t width = report.lengths.width;
  figure.words = fmt::format("How many batches have which {}{}.", axis_name(report.axis),
                             width > 1 ? ", in bins of " + std::to_string(width) : "");
  if (report.source.selection == nullptr) return {std::move(figure)};
  figure.words += " Each disc is a point, at its length and at the number of batches that it stands for.";
  figure.tables.push_back(points_table(report));
  return {std::move(figure)};
}

}  // namespace seqpoint::io::views::html::charts
