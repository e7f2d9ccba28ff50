// What makes the interval as wide as it is: the parts of its variance.
#include <fmt/core.h>

#include <algorithm>

#include "io/views/diagnosis_text.hpp"
#include "io/views/html/charts/charts.hpp"
#include "io/views/html/row_panel.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

/// The first time of each configuration that has an interval.
std::vector<const diagnose::Series*> shown_series(const diagnose::Diagnosis& diagnosis) {
  std::vector<const diagnose::Series*> shown;
  for (const diagnose::Series& series : diagnosis.series)
    if (series.width && (shown.empty() || shown.back()->configuration != series.configuration))
      shown.push_back(&series);
  return shown;
}

DataTable variance_table(const std::vector<const diagnose::Series*>& shown) {
  DataTable table{.columns = {"configuration", "metric", "part", "share_pct"},
                  .id = "variance",
                  .caption = "Parts of the variance of each interval"};
  for (const diagnose::Series* const series : shown)
    for (const VariancePart& part : variance_parts(*series->width))
      table.rows.push_back({series->configuration, series->metric, part.name, 100 * part.share});
  return table;
}

/// A row per part, the largest of the first configuration first, with one mark per configuration. Parts that are below
/// half a percent in all of them are left out. The share is written beside the marks if there is one configuration.
RowPanel panel_of(const std::vector<const diagnose::Series*>& shown) {
  RowPanel panel{.title = "share of the variance, %"};
  for (const VariancePart& first : variance_parts(*shown.front()->width)) {
    Row row{std::string(first.name), "", {}};
    double most = 0;
    for (std::size_t s = 0; s < shown.size(); ++s)
      for (const VariancePart& part : variance_parts(*shown[s]->width)) {
        if (part.name != first.name) continue;
        most = std::max(most, part.share);
        row.values.push_back(
            {.series = s,
             .value = 100 * part.share,
             .interval = {},
             .tip = fmt::format("{}, {}: {}", shown[s]->configuration, part.name, percent_text(part.share, 2))});
      }
    if (most < kLeastVariancePart) continue;
    if (shown.size() == 1) row.figure = percent_text(most, 2);
    panel.rows.push_back(std::move(row));
  }
  return panel;
}

}  // namespace

std::vector<Figure> variance_figures(const report::Report& report) {
  if (report.source.diagnosis == nullptr) return {};
  const std::vector<const diagnose::Series*> shown = shown_series(*report.source.diagnosis);
  if (shown.empty()) return {};
  std::vector<std::string> names;
  for (const diagnose::Series* const series : shown) names.push_back(series->configuration);
  const bool assumed = std::ranges::any_of(shown, [](const auto* series) { return series->width->processes == 1; });
  return {{.id = "variance",
           .title = "What makes the interval wide",
           .words = std::string("The largest part is the one to reduce.") +
                    (assumed ? " One process does not show how much processes differ: that part is assumed." : ""),
           .picture = draw_panel(panel_of(shown), "Parts of the variance", Legend(names)),
           .tables = {variance_table(shown)}}};
}

}  // namespace seqpoint::io::views::html::charts
