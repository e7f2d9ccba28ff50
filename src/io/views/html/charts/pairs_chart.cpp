// Source against target lengths.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

constexpr double kPairsHeight = 420;

constexpr double kDisc = 4.5;
/// Between a disc and labels of others: letters of the page's font may be some pixels wider than is reckoned.
constexpr double kMargin = 3;

/// Labels cover neither discs nor each other; those without room are left out, since the disc says its name, too.
void draw_points_of_pairs(Svg& svg, const report::Report& report, const Scale& x, const Scale& y, const Area& area) {
  if (report.source.selection == nullptr) return;
  std::vector<Box> taken;
  for (const select::Point& point : report.source.selection->points)
    if (point.key.tgt_len) {
      const trace::Signature s = select::signature_of(point.key);
      taken.push_back(box_around(x(s.src_len), y(s.tgt_len), kDisc + kMargin));
    }
  for (const select::Point& point : report.source.selection->points) {
    if (!point.key.tgt_len) continue;
    const trace::Signature s = select::signature_of(point.key);
    const double at = x(s.src_len), height = y(s.tgt_len);
    svg.open_focusable("point", fmt::format("{}: source {}, target {}, stands for {} iterations", point.id, s.src_len,
                                            s.tgt_len, weight_text(point.weight)));
    svg.mark("circle", {{"class", "disc"}, {"cx", pixels(at)}, {"cy", pixels(height)}, {"r", pixels(kDisc)}});
    if (const auto place = free_place(places_around(at, height, kDisc), point.id, taken,
                                      {area.left, area.top, area.right, area.bottom})) {
      svg.text(place->x, place->y, place->anchor, "label", point.id);
      taken.push_back(box_of(*place, point.id));
    }
    svg.close("g");
  }
}

std::string draw_pairs(const report::Report& report) {
  const report::PairMap& map = *report.pairs;
  const Area area(kFullWidth, kPairsHeight, {});
  std::uint64_t src_low = UINT64_MAX, src_high = 0, tgt_low = UINT64_MAX, tgt_high = 0, most = 1;
  for (const report::PairCell& cell : map.cells) {
    src_low = std::min(src_low, cell.src_first), src_high = std::max(src_high, cell.src_last);
    tgt_low = std::min(tgt_low, cell.tgt_first), tgt_high = std::max(tgt_high, cell.tgt_last);
    most = std::max(most, cell.iterations);
  }
  const Scale x(static_cast<double>(src_low) - 0.5, static_cast<double>(src_high) + 0.5, area.left, area.right);
  const Scale y(static_cast<double>(tgt_low) - 0.5, static_cast<double>(tgt_high) + 0.5, area.bottom, area.top);
  Svg svg(kFullWidth, kPairsHeight, "Source against target length");
  draw_y_axis(svg, area, y, "target length", 6, 1);
  for (const report::PairCell& cell : map.cells) {
    const double left = x(static_cast<double>(cell.src_first) - 0.5),
                 right = x(static_cast<double>(cell.src_last) + 0.5);
    const double top = y(static_cast<double>(cell.tgt_last) + 0.5),
                 bottom = y(static_cast<double>(cell.tgt_first) - 0.5);
    const double share = std::sqrt(static_cast<double>(cell.iterations) / static_cast<double>(most));
    svg.mark("rect",
             {{"class", "pair"},
              {"x", pixels(left)},
              {"y", pixels(top)},
              {"width", pixels(right - left)},
              {"height", pixels(bottom - top)},
              {"opacity", pixels(0.15 + 0.85 * share)}},
             fmt::format("source {}, target {}: {}", range_text(cell.src_first, cell.src_last),
                         range_text(cell.tgt_first, cell.tgt_last), count_text(cell.iterations, "iteration")));
  }
  draw_x_axis(svg, area, x, "source length", x_ticks(kFullWidth));
  draw_points_of_pairs(svg, report, x, y, area);
  return svg.finish();
}

DataTable pairs_table(const report::Report& report) {
  DataTable table{.id = "pairs",
                  .caption = "Iterations by source and target length",
                  .columns = {"src_from", "src_to", "tgt_from", "tgt_to", "iterations"},
                  .rows = {}};
  for (const report::PairCell& c : report.pairs->cells)
    table.rows.push_back({c.src_first, c.src_last, c.tgt_first, c.tgt_last, c.iterations});
  return table;
}

}  // namespace

std::vector<Figure> pairs_figures(const report::Report& report) {
  if (!report.pairs || report.pairs->cells.empty()) return {};
  std::string words = "Padded lengths of both sides; stronger in colour where more iterations are.";
  const report::PairMap& map = *report.pairs;
  if (map.src_width > 1 || map.tgt_width > 1)
    words += fmt::format(" A cell is {} by {} lengths.", map.src_width, map.tgt_width);
  if (report.source.selection != nullptr) words += " Discs are the SeqPoints.";
  return {{"pairs", "Source against target", words, draw_pairs(report), {pairs_table(report)}, false}};
}

}  // namespace seqpoint::io::views::html::charts
