// Length along the run, in the sampler's order.
#include <fmt/core.h>

#include <algorithm>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

using Bins = std::vector<report::LengthTimelineBin>;

std::string tip_of(const report::Report& report, const report::LengthTimelineBin& bin) {
  const std::string iterations = fmt::format("{}{}: {} ", bin.first == bin.last ? "iteration " : "iterations ",
                                             range_text(bin.first, bin.last), axis_name(report.axis));
  if (bin.shortest == bin.longest) return iterations + std::to_string(bin.longest);
  return fmt::format("{}{} to {}, mean {}", iterations, bin.shortest, bin.longest, number_text(bin.mean));
}

/// The path of a line with one step per bin, at the value `height(bin)`.
template <class Height>
std::string steps(const Bins& bins, const Plot& plot, Height height) {
  std::string d;
  for (const report::LengthTimelineBin& bin : bins)
    d += fmt::format("{}{} {}H{}", d.empty() ? "M" : "L", pixels(plot.x()(static_cast<double>(bin.first))),
                     pixels(plot.y()(static_cast<double>(height(bin)))),
                     pixels(plot.x()(static_cast<double>(bin.last) + 1)));
  return d;
}

/// The path of the area from the shortest to the longest length of every bin.
std::string length_range_band(const Bins& bins, const Plot& plot) {
  std::string back;
  for (const report::LengthTimelineBin& bin : bins)
    back.insert(0, fmt::format("L{} {}H{}", pixels(plot.x()(static_cast<double>(bin.last) + 1)),
                               pixels(plot.y()(static_cast<double>(bin.shortest))),
                               pixels(plot.x()(static_cast<double>(bin.first)))));
  return steps(bins, plot, [](const auto& bin) { return bin.longest; }) + back + "Z";
}

/// Adds a disc for the first iteration of every point that the x axis covers. None without a selection.
void add_points(Plot& plot, const report::Report& report) {
  if (report.source.selection == nullptr) return;
  for (const select::Point& point : report.source.selection->points) {
    const auto iteration = static_cast<double>(point.iterations.front());
    if (iteration < plot.x().low() || iteration > plot.x().high()) continue;
    const std::uint64_t length = report::length_on(report.axis, point.shape);
    plot.add({.x = iteration + 0.5,
              .y = static_cast<double>(length),
              .tip = fmt::format("{}: iteration {}, {} {}", point.id, point.iterations.front(), axis_name(report.axis),
                                 length)});
  }
}

std::string draw_length_timeline(const report::Report& report) {
  constexpr double kBottom = 230;
  const Bins& bins = report.length_timeline->bins;
  const std::uint64_t longest = std::ranges::max(bins, {}, &report::LengthTimelineBin::longest).longest;
  Svg svg(kPictureWidth, kBottom + Plot::kFoot, "Length along the run");
  Plot plot(svg, Plot::kHead, kBottom,
            {.name = "iteration",
             .low = static_cast<double>(bins.front().first),
             .high = static_cast<double>(bins.back().last) + 1},
            {.name = axis_name(report.axis), .low = 0, .high = static_cast<double>(longest)});
  for (const std::uint64_t epoch : report.length_timeline->epoch_begins)
    plot.divider(static_cast<double>(epoch), "an epoch begins at iteration " + std::to_string(epoch));
  const std::vector<std::uint64_t>& phases = report.source.run->phases;
  for (std::size_t p = 1; p < phases.size(); ++p)
    plot.divider(static_cast<double>(phases[p]), fmt::format("phase {} begins at iteration {}", p, phases[p]));
  if (report.length_timeline->iterations_per_bin > 1) svg.path("band", length_range_band(bins, plot));
  svg.path("course", steps(bins, plot, [](const auto& bin) { return bin.mean; }));
  for (const report::LengthTimelineBin& bin : bins)
    plot.strip(static_cast<double>(bin.first), static_cast<double>(bin.last) + 1, tip_of(report, bin));
  add_points(plot, report);
  plot.finish();
  return svg.finish();
}

DataTable length_timeline_data(const report::Report& report) {
  DataTable table{.columns = {"first_iteration", "last_iteration", "iterations", "shortest", "mean", "longest"},
                  .id = "course",
                  .caption = axis_name(report.axis) + " along the run"};
  for (const report::LengthTimelineBin& bin : report.length_timeline->bins)
    table.rows.push_back({bin.first, bin.last, bin.iterations, bin.shortest, bin.mean, bin.longest});
  return table;
}

}  // namespace

std::vector<Figure> length_timeline_figures(const report::Report& report) {
  if (!report.length_timeline || report.length_timeline->bins.empty()) return {};
  std::string words = "Length in order of iteration.";
  if (report.length_timeline->iterations_per_bin > 1)
    words += fmt::format(
        " The line is the mean of every {} iterations, the band reaches from the shortest to the longest of them.",
        report.length_timeline->iterations_per_bin);
  if (report.source.selection != nullptr) words += " Discs are the iterations to profile.";
  if (report.source.run->phases.size() > 1) words += " Each point represents one phase, between dashed lines.";
  if (!report.length_timeline->epoch_begins.empty()) words += " Dashed lines are where epochs begin.";
  return {{.id = "course",
           .title = "Length along the run",
           .words = words,
           .picture = draw_length_timeline(report),
           .tables = {length_timeline_data(report)}}};
}

}  // namespace seqpoint::io::views::html::charts
