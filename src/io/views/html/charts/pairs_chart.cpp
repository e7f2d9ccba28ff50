// Source against target lengths.
#include <fmt/core.h>

#include <algorithm>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

std::string draw_pairs(const report::Report& report) {
  constexpr double kBottom = 380;
  Axis x{.name = "source length", .low = INFINITY, .high = -INFINITY}, y = x;
  y.name = "target length";
  std::uint64_t most = 1;
  for (const report::PairCell& cell : report.pairs->cells) {
    x.low = std::min(x.low, static_cast<double>(cell.src_first) - 0.5);
    x.high = std::max(x.high, static_cast<double>(cell.src_last) + 0.5);
    y.low = std::min(y.low, static_cast<double>(cell.tgt_first) - 0.5);
    y.high = std::max(y.high, static_cast<double>(cell.tgt_last) + 0.5);
    most = std::max(most, cell.iterations);
  }
  Svg svg(kPictureWidth, kBottom + Plot::kFoot, "Source against target length");
  Plot plot(svg, Plot::kHead, kBottom, x, y);
  for (const report::PairCell& cell : report.pairs->cells)
    plot.cell("pair", static_cast<double>(cell.src_first) - 0.5, static_cast<double>(cell.src_last) + 0.5,
              static_cast<double>(cell.tgt_first) - 0.5, static_cast<double>(cell.tgt_last) + 0.5,
              static_cast<double>(cell.iterations) / static_cast<double>(most),
              fmt::format("source {}, target {}: {}", range_text(cell.src_first, cell.src_last),
                          range_text(cell.tgt_first, cell.tgt_last), counted(cell.iterations, "iteration")));
  if (report.source.selection != nullptr)
    for (const select::Point& point : report.source.selection->points) {
      if (point.length_group) continue;
      const trace::Shape& s = point.shape;
      plot.add({.x = static_cast<double>(s.src_len),
                .y = static_cast<double>(s.tgt_len),
                .label = point.id,
                .tip = fmt::format("{}: source {}, target {}, represents {} iterations", point.id, s.src_len, s.tgt_len,
                                   weight_text(point.weight))});
    }
  plot.finish();
  return svg.finish();
}

DataTable pairs_table(const report::Report& report) {
  DataTable table{.columns = {"src_from", "src_to", "tgt_from", "tgt_to", "iterations"},
                  .id = "pairs",
                  .caption = "Iterations by source and target length"};
  for (const report::PairCell& c : report.pairs->cells)
    table.rows.push_back({c.src_first, c.src_last, c.tgt_first, c.tgt_last, c.iterations});
  return table;
}

}  // namespace

std::vector<Figure> pairs_figures(const report::Report& report) {
  if (!report.pairs || report.pairs->cells.empty()) return {};
  std::string words = "Padded lengths of both sides; darker cells contain more iterations.";
  const report::PairMap& map = *report.pairs;
  if (map.src_width > 1 || map.tgt_width > 1)
    words += fmt::format(" A cell is {} by {} lengths.", map.src_width, map.tgt_width);
  if (report.source.selection != nullptr) words += " Discs are the points.";
  return {{"pairs", "Source against target", words, draw_pairs(report), {pairs_table(report)}}};
}

}  // namespace seqpoint::io::views::html::charts
