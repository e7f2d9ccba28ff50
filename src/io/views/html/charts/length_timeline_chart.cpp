// Length along the run, in the order that the sampler makes.
#include <fmt/core.h>

#include <algorithm>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

std::string tip_of(const report::Report& report, const report::LengthTimelineBin& bin) {
  const std::string iterations = fmt::format("{}{}: {} ", bin.first == bin.last ? "iteration " : "iterations ",
                                             range_text(bin.first, bin.last), axis_name(report.axis));
  if (bin.shortest == bin.longest) return iterations + std::to_string(bin.longest);
  return fmt::format("{}{} to {}, mean {}", iterations, bin.shortest, bin.longest, number_text(bin.mean));
}

/// From the shortest to the longest of every stretch, as one shape.
std::string length_range_band(const std::vector<report::LengthTimelineBin>& bins, const Scale& x, const Scale& y) {
  std::string there, back;
  for (const report::LengthTimelineBin& bin : bins) {
    const double from = x(static_cast<double>(bin.first)), to = x(static_cast<double>(bin.last) + 1);
    there += fmt::format("{}{} {}H{}", there.empty() ? "M" : "L", pixels(from),
                         pixels(y(static_cast<double>(bin.longest))), pixels(to));
    back = fmt::format("L{} {}H{}{}", pixels(to), pixels(y(static_cast<double>(bin.shortest))), pixels(from), back);
  }
  return there + back + "Z";
}

/// The mean, in steps.
std::string mean_length_line(const std::vector<report::LengthTimelineBin>& bins, const Scale& x, const Scale& y) {
  std::string d;
  for (const report::LengthTimelineBin& bin : bins)
    d += fmt::format("{}{} {}H{}", d.empty() ? "M" : "L", pixels(x(static_cast<double>(bin.first))),
                     pixels(y(bin.mean)), pixels(x(static_cast<double>(bin.last) + 1)));
  return d;
}

void draw_points_on_timeline(Svg& svg, const report::Report& report, const Scale& x, const Scale& y) {
  for (const select::Point& point : report.source.selection->points) {
    if (point.run > 0) continue;
    const auto iteration = static_cast<double>(point.iterations.front());
    if (iteration < x.low() || iteration > x.high()) continue;
    const std::uint64_t length = report::length_on(report.axis, select::signature_of(point.key));
    svg.open_focusable("point", fmt::format("{}: iteration {}, {} {}", point.id, point.iterations.front(),
                                            axis_name(report.axis), length));
    svg.mark("circle", {{"class", "disc"},
                        {"cx", pixels(x(iteration + 0.5))},
                        {"cy", pixels(y(static_cast<double>(length)))},
                        {"r", "4.5"}});
    svg.close("g");
  }
}

std::string draw_length_timeline(const report::Report& report) {
  const std::vector<report::LengthTimelineBin>& bins = report.length_timeline->bins;
  constexpr double kHeight = 270;
  const Area area(kFullWidth, kHeight, {});
  std::uint64_t longest = 1;
  for (const report::LengthTimelineBin& bin : bins) longest = std::max(longest, bin.longest);
  const Scale x(static_cast<double>(bins.front().first), static_cast<double>(bins.back().last) + 1, area.left,
                area.right);
  const Scale y(0, static_cast<double>(longest), area.bottom, area.top);
  Svg svg(kFullWidth, kHeight, "Length along the run");
  draw_y_axis(svg, area, y, axis_name(report.axis), 5, 1);
  for (const std::uint64_t epoch : report.length_timeline->epoch_begins) {
    const double at = x(static_cast<double>(epoch));
    svg.path("epoch", fmt::format("M{} {}V{}", pixels(at), pixels(area.top), pixels(area.bottom)),
             "an epoch begins at iteration " + std::to_string(epoch));
  }
  for (std::size_t p = 1; p < report.source.run->phases.size(); ++p) {
    const double at = x(static_cast<double>(report.source.run->phases[p]));
    svg.path("epoch", fmt::format("M{} {}V{}", pixels(at), pixels(area.top), pixels(area.bottom)),
             fmt::format("phase {} begins at iteration {}", p, report.source.run->phases[p]));
  }
  if (report.length_timeline->iterations_per_bin > 1) svg.path("band", length_range_band(bins, x, y));
  svg.path("course", mean_length_line(bins, x, y));
  for (const report::LengthTimelineBin& bin : bins) {
    const double from = x(static_cast<double>(bin.first)), to = x(static_cast<double>(bin.last) + 1);
    svg.rect(from, area.top, to - from, area.bottom - area.top, "hit", tip_of(report, bin));
  }
  draw_x_axis(svg, area, x, "iteration", x_ticks(kFullWidth));
  if (report.source.selection != nullptr) draw_points_on_timeline(svg, report, x, y);
  return svg.finish();
}

DataTable length_timeline_data(const report::Report& report) {
  DataTable table{.id = "course",
                  .caption = axis_name(report.axis) + " along the run",
                  .columns = {"first_iteration", "last_iteration", "iterations", "shortest", "mean", "longest"},
                  .rows = {}};
  for (const report::LengthTimelineBin& bin : report.length_timeline->bins)
    table.rows.push_back({bin.first, bin.last, bin.iterations, bin.shortest, cell(bin.mean), bin.longest});
  return table;
}

}  // namespace

std::vector<Figure> length_timeline_figures(const report::Report& report) {
  if (!report.length_timeline || report.length_timeline->bins.empty()) return {};
  std::string words = "The order in which the iterations come.";
  if (report.length_timeline->iterations_per_bin > 1)
    words += fmt::format(
        " The line is the mean of every {} iterations, the band reaches from the shortest to the longest of them.",
        report.length_timeline->iterations_per_bin);
  if (report.source.selection != nullptr) words += " Discs are the iterations to profile.";
  if (report.source.run->phases.size() > 1) words += " Points stand for phases of their own, between dashed lines.";
  if (!report.length_timeline->epoch_begins.empty()) words += " Dashed lines are where epochs begin.";
  return {{.id = "course",
           .title = "Length along the run",
           .words = words,
           .picture = draw_length_timeline(report),
           .tables = {length_timeline_data(report)},
           .half = false}};
}

}  // namespace seqpoint::io::views::html::charts
