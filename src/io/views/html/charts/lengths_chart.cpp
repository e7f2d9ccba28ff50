// How often each length occurs, and the points above it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

constexpr double kBarsHeight = 190, kLevelHeight = 34;

/// A point as a disc over its length, its label at the right, both above all stems that the label would cover.
struct PointDisc {
  const select::Point* point = nullptr;
  double x = 0, radius = 0;
  std::size_t level = 0;
  std::string label;  ///< empty: there is no room for one
};

double left_end(const PointDisc& disc) { return disc.x - disc.radius; }
double right_end(const PointDisc& disc) {
  return disc.x + disc.radius + (disc.label.empty() ? 0 : 4 + text_width(disc.label));
}

/// Areas are in proportion to weights; by length, and not yet in their places.
std::vector<PointDisc> discs_of(const report::Report& report) {
  if (report.source.selection == nullptr) return {};
  const std::vector<select::Point>& points = report.source.selection->points;
  std::int64_t heaviest = 1;
  for (const select::Point& point : points) heaviest = std::max(heaviest, point.weight.millionths);
  constexpr double kLargest = 15;
  std::vector<PointDisc> discs;
  for (const select::Point& point : points) {
    const double radius =
        kLargest * std::sqrt(static_cast<double>(point.weight.millionths) / static_cast<double>(heaviest));
    discs.push_back({.point = &point,
                     .x = static_cast<double>(report::length_on(report.axis, select::signature_of(point.key))),
                     .radius = std::max(2.0, radius),
                     .level = 0,
                     .label = fmt::format("{} · {}", point.id, weight_text(point.weight))});
  }
  std::stable_sort(discs.begin(), discs.end(), [](const PointDisc& a, const PointDisc& b) { return a.x < b.x; });
  return discs;
}

/// The part of `x` that leaves room for every label at its right.
Scale with_room_for_labels(const Scale& x, const std::vector<PointDisc>& discs) {
  double part = 1;
  for (const PointDisc& disc : discs) {
    const double at = x(disc.x), behind = right_end(disc) - disc.x;
    if (at > x.from()) part = std::min(part, (kFullWidth - behind - x.from()) / (at - x.from()));
  }
  return {x.low(), x.high(), x.from(), x.from() + std::max(0.5, part) * (x.to() - x.from())};
}

/// One above all discs to its right that it reaches.
std::size_t level_above(const PointDisc& disc, std::span<const PointDisc> at_right) {
  std::size_t level = 0;
  for (const PointDisc& other : at_right)
    if (left_end(other) < right_end(disc) + 6) level = std::max(level, other.level + 1);
  return level;
}

/// The lowest with room for a disc that has no label.
std::size_t free_level(const PointDisc& disc, std::span<const PointDisc> at_right) {
  std::vector<bool> taken(at_right.size() + 1);
  for (const PointDisc& other : at_right)
    if (left_end(other) < right_end(disc) + 1) taken[std::min(other.level, at_right.size())] = true;
  return static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
}

/// Gives every disc its level, the lowest where its label covers no other disc, label or stem; how many levels there
/// are. Where that would be too many, a disc has no label: its tip and the table have it.
std::size_t stack_overlapping(std::span<PointDisc> discs) {
  constexpr std::size_t kMostLevels = 8;
  std::size_t levels = 0;
  for (std::size_t i = discs.size(); i-- > 0;) {
    discs[i].level = level_above(discs[i], discs.subspan(i + 1));
    if (discs[i].level >= kMostLevels) {
      discs[i].label.clear();
      discs[i].level = free_level(discs[i], discs.subspan(i + 1));
    }
    levels = std::max(levels, discs[i].level + 1);
  }
  return levels;
}

std::string tip_of(const report::Report& report, const select::Point& point) {
  const double share = point.weight.iterations() / static_cast<double>(report.source.run->iterations);
  return fmt::format("{}: {} {}, stands for {} iterations ({} %); profile iteration {}", point.id,
                     axis_name(report.axis), report::length_on(report.axis, select::signature_of(point.key)),
                     weight_text(point.weight), number_text(100 * share, 3), point.iterations.front());
}

void draw_disc(Svg& svg, const report::Report& report, const PointDisc& disc, const Area& area) {
  const double y = area.top - 22 - kLevelHeight * static_cast<double>(disc.level);
  svg.open_focusable("point", tip_of(report, *disc.point));
  svg.line(disc.x, y, disc.x, area.bottom, "stem");
  svg.mark("circle", {{"class", "disc"}, {"cx", pixels(disc.x)}, {"cy", pixels(y)}, {"r", pixels(disc.radius)}});
  if (!disc.label.empty()) svg.text(disc.x + disc.radius + 4, y + 4, Anchor::start, "label", disc.label);
  svg.close("g");
}

std::string draw_lengths(const report::Report& report) {
  const std::vector<report::LengthBin>& bins = report.lengths.bins;
  Margins margins;
  const double width = static_cast<double>(report.lengths.width);
  std::vector<PointDisc> discs = discs_of(report);
  const Scale whole(static_cast<double>(bins.front().first) - 0.5 - 0.5 * width,
                    static_cast<double>(bins.back().last) + 0.5 + 0.5 * width, margins.left,
                    kFullWidth - margins.right);
  const Scale x = with_room_for_labels(whole, discs);
  for (PointDisc& disc : discs) disc.x = x(disc.x);
  const std::size_t levels = stack_overlapping(discs);
  margins.top = 36 + (levels == 0 ? 0 : kLevelHeight * static_cast<double>(levels) + 8);
  const double height = margins.top + kBarsHeight + margins.bottom;
  const Area area(kFullWidth, height, margins);
  std::uint64_t most = 1;
  for (const report::LengthBin& bin : bins) most = std::max(most, bin.iterations);
  const Scale y(0, static_cast<double>(most), area.bottom, area.top);

  Svg svg(kFullWidth, height, "Histogram of lengths");
  svg.text(0, 14, Anchor::start, "axis", "iterations");  // above the discs
  draw_y_axis(svg, area, y, "", 5, 1);
  for (const report::LengthBin& bin : bins) {
    if (bin.iterations == 0) continue;
    const double from = x(static_cast<double>(bin.first) - 0.5), to = x(static_cast<double>(bin.last) + 0.5);
    const double top = y(static_cast<double>(bin.iterations)), gap = to - from > 4 ? 1 : 0;
    svg.rect(from, top, to - from - gap, area.bottom - top, "bar",
             fmt::format("{} {}: {}", axis_name(report.axis), range_text(bin.first, bin.last),
                         count_text(bin.iterations, "iteration")));
  }
  draw_x_axis(svg, area, x, axis_name(report.axis), x_ticks(kFullWidth));
  for (const PointDisc& disc : discs) draw_disc(svg, report, disc, area);
  return svg.finish();
}

DataTable lengths_table(const report::Report& report) {
  DataTable table{.id = "lengths",
                  .caption = "Iterations by " + axis_name(report.axis),
                  .columns = {"from", "to", "iterations"},
                  .rows = {}};
  for (const report::LengthBin& bin : report.lengths.bins) table.rows.push_back({bin.first, bin.last, bin.iterations});
  return table;
}

/// The columns are the keys of the artefact.
DataTable points_table(const report::Report& report) {
  const trace::RunSummary& run = *report.source.run;
  DataTable table{
      .id = "points", .caption = "SeqPoints: weights are iterations they stand for", .columns = {"id"}, .rows = {}};
  // A run of one length has the column of target lengths too.
  const std::span<const trace::Dimension> dimensions =
      trace::dimensions_of(trace::kind_of(trace::properties_of(run.kind).layout, true));
  for (const trace::Dimension d : dimensions) table.columns.emplace_back(trace::name_of(d));
  if (!run.phases.empty()) table.columns.emplace_back("phase");
  for (const char* const key : {"weight", "share", "iteration"}) table.columns.emplace_back(key);
  const bool advised = report.source.selection->method.repeats.has_value();
  if (advised) table.columns.emplace_back("repeats");
  for (const select::Point& point : report.source.selection->points) {
    const double share =
        std::round(point.weight.iterations() / static_cast<double>(report.source.run->iterations) * 1e9) / 1e9;
    std::vector<Cell>& row = table.rows.emplace_back(std::vector<Cell>{point.id});
    for (const trace::Dimension d : dimensions) row.push_back(point.key[d] ? Cell(*point.key[d]) : Cell());
    if (!run.phases.empty()) row.emplace_back(point.phase);
    row.insert(row.end(), {Cell(point.weight.iterations()), Cell(share), Cell(point.iterations.front())});
    if (advised) row.emplace_back(point.repeats);
  }
  return table;
}

}  // namespace

std::vector<Figure> lengths_figures(const report::Report& report) {
  if (report.lengths.bins.empty()) return {};
  Figure figure{"lengths", "Lengths of the run", "", draw_lengths(report), {lengths_table(report)}, false};
  const std::uint64_t width = report.lengths.width;
  figure.words = fmt::format("How many iterations have which {}{}.", axis_name(report.axis),
                             width > 1 ? ", in bins of " + std::to_string(width) : "");
  if (report.source.selection == nullptr) return {std::move(figure)};
  figure.words +=
      " Each disc is a SeqPoint at its length; its area, and the number beside its name, is how many iterations it "
      "stands for.";
  figure.tables.push_back(points_table(report));
  return {std::move(figure)};
}

}  // namespace seqpoint::io::views::html::charts
