// Where the time and a difference lie: phases of a batch, and ranges of lengths.
#include <fmt/core.h>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/row_panel.hpp"
#include "io/views/where.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

using project::ConfigurationProjection;
using project::PhaseDifference;
using project::RangeDifference;

/// One sentence for each configuration that has one. With several it begins with the name.
template <class TextOf>
std::string sentences_of(const project::Projection& projection, const TextOf& text_of) {
  std::string sentences;
  for (const ConfigurationProjection& c : projection.configurations) {
    const std::string text = text_of(c);
    if (text.empty()) continue;
    sentences += (sentences.empty() ? "" : " ") + c.name + ": " + text + ".";
  }
  return sentences;
}

/// Phases in seconds. The difference to the baseline is a share of the baseline's whole time, as its interval.
DataTable phases_data(const project::Projection& projection) {
  DataTable table{.columns = {"configuration", "phase", "seconds", "share, %", "change of the total, %", "low", "high"},
                  .id = "phases",
                  .caption = "Seconds of the whole run, by phase"};
  for (const ConfigurationProjection& c : projection.configurations)
    for (const project::Phase& phase : c.phases) {
      const PhaseDifference* const difference = find_difference(c, phase);
      std::vector<Cell>& row = table.rows.emplace_back();
      row = {c.name, std::string(project::name_of_phase(phase.column)), phase.seconds, 100 * phase.share};
      row.resize(table.columns.size());
      if (difference == nullptr) continue;
      row[4] = 100 * difference->change;
      if (!difference->interval) continue;
      row[5] = 100 * difference->interval->low;
      row[6] = 100 * difference->interval->high;
    }
  return table;
}

DataTable by_length_data(const project::Projection& projection) {
  DataTable table{.columns = {"configuration", "batches", "share of the time, %", "change, %", "change of others, %"},
                  .id = "differences-by-length",
                  .caption = "Change beside " + projection.baseline + ", by length"};
  for (const ConfigurationProjection& c : projection.configurations)
    for (const RangeDifference& range : c.length_differences)
      table.rows.push_back(
          {c.name, lengths_text(range), 100 * range.share, 100 * range.change, 100 * range.change_of_others});
  return table;
}

/// The row with this name, added if it is new.
Row& row_named(RowPanel& panel, const std::string& name) {
  const auto known = std::ranges::find(panel.rows, name, &Row::name);
  return known != panel.rows.end() ? *known : panel.rows.emplace_back(Row{name, "", {}});
}

/// Adds a mark, and shows its figure on the right: that of the last configuration.
void add_mark(RowPanel& panel, const std::string& name, const std::string& figure, RowValue mark) {
  Row& row = row_named(panel, name);
  mark.tip = fmt::format("{}: {}", name, figure);
  row.figure = figure;
  row.values.push_back(std::move(mark));
}

RowPanel times_panel(const project::Projection& projection) {
  RowPanel panel{.title = "time of the whole run, s"};
  for (std::size_t c = 0; c < projection.configurations.size(); ++c)
    for (const project::Phase& phase : projection.configurations[c].phases)
      add_mark(panel, std::string(project::name_of_phase(phase.column)), duration_text(phase.seconds),
               {.series = c, .value = phase.seconds, .interval = {}, .tip = ""});
  return panel;
}

/// The interval in percent.
std::optional<project::Interval> in_percent(const std::optional<project::Interval>& interval) {
  if (!interval) return {};
  return project::Interval{100 * interval->low, 100 * interval->high};
}

RowPanel changes_panel(const project::Projection& projection) {
  RowPanel panel{.title = "change of the time of " + projection.baseline + ", %", .reference = 0};
  for (std::size_t c = 0; c < projection.configurations.size(); ++c)
    for (const PhaseDifference& difference : projection.configurations[c].phase_differences)
      add_mark(panel, std::string(project::name_of_phase(difference.column)), signed_tenth_percent(difference.change),
               {.series = c, .value = 100 * difference.change, .interval = in_percent(difference.interval), .tip = ""});
  return panel;
}

RowPanel by_length_panel(const project::Projection& projection) {
  RowPanel panel{.title = "change over " + projection.baseline + ", %", .reference = 0};
  for (std::size_t c = 0; c < projection.configurations.size(); ++c)
    for (const RangeDifference& range : projection.configurations[c].length_differences)
      add_mark(panel, lengths_text(range), signed_tenth_percent(range.change),
               {.series = c, .value = 100 * range.change, .interval = {}, .tip = ""});
  return panel;
}

std::string draw_phases(const project::Projection& projection) {
  const RowPanel times = times_panel(projection), changes = changes_panel(projection);
  const double below = changes.rows.empty() ? 0 : height_of(changes);
  Svg svg(kPictureWidth, height_of(times) + below, "Phases of a batch");
  draw_rows(svg, times, 0);
  if (below > 0) draw_rows(svg, changes, height_of(times));
  return svg.finish();
}

std::vector<std::string> names_of(const project::Projection& projection) {
  std::vector<std::string> names;
  for (const ConfigurationProjection& c : projection.configurations) names.push_back(c.name);
  return names;
}

}  // namespace

std::vector<Figure> differences_figures(const report::Report& report) {
  const project::Projection* const projection = report.source.projection;
  if (projection == nullptr) return {};
  std::vector<Figure> figures;
  if (DataTable phases = phases_data(*projection); !phases.rows.empty())
    figures.push_back({.id = "phases",
                       .title = "Phases of a batch",
                       .words = sentences_of(*projection, where_or_nowhere),
                       .picture = draw_phases(*projection),
                       .tables = {std::move(phases)}});
  if (DataTable by_length = by_length_data(*projection); !by_length.rows.empty())
    figures.push_back(
        {.id = "differences-by-length",
         .title = "Short and long batches",
         .words = sentences_of(*projection, by_length_text),
         .picture = draw_panel(by_length_panel(*projection), "Short and long batches", Legend(names_of(*projection))),
         .tables = {std::move(by_length)}});
  return figures;
}

}  // namespace seqpoint::io::views::html::charts
