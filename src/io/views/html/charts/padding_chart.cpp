// What of the work is padding.
#include <fmt/core.h>

#include <algorithm>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/plot.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

double padded_share(std::uint64_t tokens, std::uint64_t padded) {
  return padded == 0 ? 0 : 1 - static_cast<double>(tokens) / static_cast<double>(padded);
}

bool is_known(const trace::RunSummary& run) {
  return run.tokens && run.padded_tokens > 0 && *run.tokens <= run.padded_tokens;
}

/// One bar for the whole run: data, then padding.
void draw_padding_of_run(Svg& svg, const trace::RunSummary& run) {
  const double share = padded_share(*run.tokens, run.padded_tokens), middle = kHalfWidth * (1 - share);
  svg.rect(0, 24, middle, 26, "bar", "data: " + count_text(*run.tokens, "token"));
  svg.rect(middle, 24, kHalfWidth - middle, 26, "waste",
           fmt::format("padding: {}, {}", count_text(run.padded_tokens - *run.tokens, "token"), percent_text(share)));
  svg.text(0, 14, Anchor::start, "label", count_text(*run.tokens, "token") + " of data");
  svg.text(kHalfWidth, 14, Anchor::end, "label", percent_text(share) + " padding");
}

double largest_padded_share(const report::Report& report) {
  double most = 0;
  for (const report::PaddingBin& bin : report.padding)
    most = std::max(most, padded_share(bin.tokens, bin.padded_tokens));
  return most;
}

void draw_by_length(Svg& svg, const report::Report& report, double height) {
  Margins margins;
  margins.top = 96;
  const Area area(kHalfWidth, height, margins);
  const report::LengthBin &first = report.padding.front().range, &last = report.padding.back().range;
  const Scale x(static_cast<double>(first.first) - 0.5, static_cast<double>(last.last) + 0.5, area.left, area.right);
  const Scale y(0, std::max(1e-3, 100 * largest_padded_share(report)), area.bottom, area.top);
  draw_y_axis(svg, area, y, "padding by length, %", 4);
  for (const report::PaddingBin& bin : report.padding) {
    if (bin.padded_tokens == 0) continue;
    const double share = padded_share(bin.tokens, bin.padded_tokens), top = y(100 * share);
    const double from = x(static_cast<double>(bin.range.first) - 0.5),
                 to = x(static_cast<double>(bin.range.last) + 0.5);
    svg.rect(from, top, to - from - (to - from > 4 ? 1 : 0), area.bottom - top, "waste",
             fmt::format("{} {}: {} padding", axis_name(report.axis), range_text(bin.range.first, bin.range.last),
                         percent_text(share)));
  }
  draw_x_axis(svg, area, x, axis_name(report.axis), 6);
}

std::string draw_padding(const report::Report& report) {
  const double height = report.padding.empty() ? 60 : 300;
  Svg svg(kHalfWidth, height, "Padding");
  draw_padding_of_run(svg, *report.source.run);
  if (!report.padding.empty()) draw_by_length(svg, report, height);
  return svg.finish();
}

DataTable padding_of_run_table(const trace::RunSummary& run) {
  return {"padding",
          "Tokens of the run",
          {"tokens", "padded_tokens", "padding_share"},
          {{*run.tokens, run.padded_tokens, cell(padded_share(*run.tokens, run.padded_tokens))}}};
}

DataTable padding_table(const report::Report& report) {
  DataTable table{.id = "padding-by-length",
                  .caption = "Tokens by " + axis_name(report.axis),
                  .columns = {"from", "to", "tokens", "padded_tokens", "padding_share"},
                  .rows = {}};
  for (const report::PaddingBin& bin : report.padding)
    table.rows.push_back({bin.range.first, bin.range.last, bin.tokens, bin.padded_tokens,
                          cell(padded_share(bin.tokens, bin.padded_tokens))});
  return table;
}

}  // namespace

std::vector<Figure> padding_figures(const report::Report& report) {
  if (!is_known(*report.source.run)) return {};
  std::vector<DataTable> tables;
  if (!report.padding.empty()) tables.push_back(padding_table(report));
  tables.push_back(padding_of_run_table(*report.source.run));
  return {{.id = "padding",
           .title = "Padding",
           .words = "Tokens that fill batches up to their longest sequence: computed, and thrown away.",
           .picture = draw_padding(report),
           .tables = std::move(tables),
           .half = true}};
}

}  // namespace seqpoint::io::views::html::charts
