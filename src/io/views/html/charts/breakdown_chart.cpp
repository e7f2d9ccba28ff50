// The break-down of the projected time: the largest rows, with one mark per configuration.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/row_panel.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

constexpr std::size_t kMaxRows = 15;  // drawn; the table has more
constexpr std::size_t kMaxTableRows = 500;

/// The 15 largest rows, one per name, with one mark per configuration. The largest is the one with the most seconds in
/// any configuration.
RowPanel panel_of(const project::Breakdown& breakdown) {
  RowPanel panel{"time of the whole run, s", {}, {}};
  std::map<std::string, std::size_t> row_of;
  for (std::size_t c = 0; c < breakdown.configurations.size(); ++c)
    for (const project::BreakdownRow& from : breakdown.configurations[c].rows) {
      const auto [known, is_new] = row_of.try_emplace(from.name, panel.rows.size());
      if (is_new) panel.rows.push_back({from.name, "", {}});
      const std::string figure = fmt::format("{}, {}", duration_text(from.seconds), percent_text(from.share));
      panel.rows[known->second].values.push_back(
          {.series = c,
           .value = from.seconds,
           .interval = {},
           .tip = fmt::format("{}, {}: {}", breakdown.configurations[c].name, from.name, figure)});
    }
  const auto most = [](const Row& row) { return std::ranges::max(row.values, {}, &RowValue::value).value; };
  std::ranges::stable_sort(panel.rows, std::ranges::greater{}, most);
  panel.rows.resize(std::min(kMaxRows, panel.rows.size()));
  for (Row& row : panel.rows) row.figure = duration_text(most(row));
  return panel;
}

/// At most 500 rows per configuration.
DataTable breakdown_data(const project::Breakdown& breakdown) {
  DataTable table{.columns = {"configuration", "name", "seconds", "share", "calls", "change",
                              "seconds more than the baseline", "give or take"},
                  .id = "breakdown",
                  .caption = "Seconds of the whole run, by " + std::string(project::name_of(breakdown.by))};
  for (const project::ConfigurationBreakdown& configuration : breakdown.configurations)
    for (std::size_t r = 0; r < std::min(kMaxTableRows, configuration.rows.size()); ++r) {
      const project::BreakdownRow& row = configuration.rows[r];
      table.rows.push_back({configuration.name, row.name, row.seconds, row.share, row.count, row.change, row.difference,
                            row.half_width});
    }
  return table;
}

}  // namespace

std::vector<Figure> breakdown_figures(const report::Report& report) {
  if (report.source.projection == nullptr || !report.source.projection->breakdown) return {};
  const project::Breakdown& breakdown = *report.source.projection->breakdown;
  const RowPanel panel = panel_of(breakdown);
  if (panel.rows.empty() || !(panel.rows.front().values.front().value > 0)) return {};
  std::vector<std::string> names;
  std::size_t most = 0;
  for (const project::ConfigurationBreakdown& configuration : breakdown.configurations) {
    names.push_back(configuration.name);
    most = std::max(most, configuration.rows.size());
  }
  std::string words = fmt::format("Time of the whole run by {}{}", project::name_of(breakdown.by),
                                  breakdown.kernels ? ", on the device." : ", on the host.");
  if (most > kMaxRows)
    words += fmt::format(" The {} largest; the table has up to {} a configuration.", kMaxRows, kMaxTableRows);
  return {{.id = "breakdown",
           .title = "Where the time goes",
           .words = words,
           .picture = draw_panel(panel, "Where the time goes", Legend(names)),
           .tables = {breakdown_data(breakdown)}}};
}

}  // namespace seqpoint::io::views::html::charts
