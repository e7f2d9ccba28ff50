// The share of padding in the work, by length if a trace has it.
#include <fmt/core.h>

#include <algorithm>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

/// The share of padding in `padded` tokens; 0 if there are none.
double padded_share(std::uint64_t tokens, std::uint64_t padded) {
  return padded == 0 ? 0 : 1 - static_cast<double>(tokens) / static_cast<double>(padded);
}

std::string draw_padding(const report::Report& report) {
  constexpr double kBottom = Plot::kHead + 170;
  const report::LengthBin &first = report.padding.front().range, &last = report.padding.back().range;
  const Axis x{.name = axis_name(report.axis),
               .low = static_cast<double>(first.first) - 0.5,
               .high = static_cast<double>(last.last) + 0.5};
  Axis y{.name = "padding by length, %", .high = 1e-3, .least_step = 0};
  for (const report::PaddingBin& bin : report.padding)
    y.high = std::max(y.high, 100 * padded_share(bin.tokens, bin.padded_tokens));
  Svg svg(kPictureWidth, kBottom + Plot::kFoot, "Padding");
  Plot plot(svg, Plot::kHead, kBottom, x, y);
  for (const auto& [range, tokens, padded] : report.padding)
    if (padded > 0)
      plot.bar("waste", static_cast<double>(range.first) - 0.5, static_cast<double>(range.last) + 0.5,
               100 * padded_share(tokens, padded),
               fmt::format("{} {}: {} padding", axis_name(report.axis), range_text(range.first, range.last),
                           percent_text(padded_share(tokens, padded))));
  return svg.finish();
}

DataTable padding_table(const report::Report& report) {
  DataTable table{.columns = {"from", "to", "tokens", "padded_tokens", "padding_share"},
                  .id = "padding-by-length",
                  .caption = "Tokens by " + axis_name(report.axis)};
  for (const auto& [range, tokens, padded] : report.padding)
    table.rows.push_back({range.first, range.last, tokens, padded, padded_share(tokens, padded)});
  return table;
}

}  // namespace

std::vector<Figure> padding_figures(const report::Report& report) {
  if (report.padding.empty()) return {};
  return {{.id = "padding",
           .title = "Padding",
           .words = "Tokens that fill batches up to their longest sequence.",
           .picture = draw_padding(report),
           .tables = {padding_table(report)}}};
}

}  // namespace seqpoint::io::views::html::charts
