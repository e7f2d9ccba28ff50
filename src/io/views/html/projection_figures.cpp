// Figures of a projection: totals and processes, phases and lengths of a difference, operations, parts of an interval.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/views/diagnosis_text.hpp"
#include "io/views/html/figure.hpp"
#include "io/views/where.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html {
namespace {

using project::ConfigurationProjection;

// --- totals

/// Names of the metrics that are finite in some configuration, in the order of their first appearance.
std::vector<std::string> metrics_of(const project::Projection& projection) {
  std::vector<std::string> names;
  for (const ConfigurationProjection& configuration : projection.configurations)
    for (const project::MetricProjection& metric : configuration.metrics)
      if (std::isfinite(metric.value) && std::ranges::find(names, metric.name) == names.end())
        names.push_back(metric.name);
  return names;
}

/// The rows of a projection, with changes in percent in place of speedups.
DataTable projection_data(const project::Projection& projection) {
  DataTable table = projection_rows(projection);
  const auto first = std::ranges::find(table.columns, "speedup") - table.columns.begin();
  const std::array<std::string, 3> columns{"change_pct", "change_low_pct", "change_high_pct"};
  std::ranges::copy(columns, table.columns.begin() + first);
  std::size_t row = 0;
  for (const ConfigurationProjection& c : projection.configurations)
    for (const project::MetricProjection& metric : c.metrics) {
      std::vector<Cell>& cells = table.rows[row++];
      std::fill_n(cells.begin() + first, columns.size(), Cell());
      const project::Speedup* const speedup = find_speedup(c, metric.name);
      if (speedup == nullptr || !(speedup->value > 0)) continue;
      cells[first] = 100 * change_of(speedup->value);
      if (const auto interval = change_of(speedup->interval)) {
        cells[first + 1] = 100 * interval->low;
        cells[first + 2] = 100 * interval->high;
      }
    }
  table.id = "configurations";
  table.caption = "Every configuration and metric, for the whole run";
  return table;
}

/// The estimates of single processes; no rows if no configuration has several.
DataTable processes_data(const project::Projection& projection, const std::string& metric) {
  DataTable table{.columns = {"configuration", "process", "value", "low", "high", "in a row", "disturbed"},
                  .id = "processes",
                  .caption =
                      "The time of the whole run by the points of each process alone, and by its consecutive "
                      "batches (in a row)"};
  for (const ConfigurationProjection& c : projection.configurations)
    for (const project::ProcessEstimate& process : c.process_estimates)
      if (c.processes && c.processes->metric == metric)
        table.rows.push_back({c.name, process.name, process.value, low_of(process.interval), high_of(process.interval),
                              process.in_a_row, process.is_disturbed ? "yes" : "no"});
  return table;
}

/// Measured totals compared with their projections, both without overheads, which traces do not include.
DataTable measured_data(const report::Report& report) {
  DataTable table{.columns = {"configuration", "metric", "measured", "projected", "difference_pct", "inside_interval"},
                  .id = "measured",
                  .caption = "Runs that were measured in full, compared with their projections"};
  for (const report::MeasuredTotal& total : report.measured_totals)
    table.rows.push_back({total.configuration, total.metric, total.measured, total.projected, 100 * total.difference,
                          !total.inside   ? ""
                          : *total.inside ? "yes"
                                          : "no"});
  return table;
}

// --- where a difference lies

/// One sentence for each configuration that has one. It begins with the name.
template <class TextOf>
std::string sentences_of(const project::Projection& projection, const TextOf& text_of) {
  std::string sentences;
  for (const ConfigurationProjection& c : projection.configurations)
    if (const std::string text = text_of(c); !text.empty())
      sentences += (sentences.empty() ? "" : " ") + c.name + ": " + text + ".";
  return sentences;
}

/// Phases in seconds. The difference to the baseline is a share of the baseline's whole time, as its interval.
DataTable phases_data(const project::Projection& projection) {
  DataTable table{.columns = {"configuration", "phase", "seconds", "share, %", "change of the total, %", "low", "high"},
                  .id = "phases",
                  .caption = "Seconds of the whole run, by phase"};
  for (const ConfigurationProjection& c : projection.configurations)
    for (const project::Phase& phase : c.phases) {
      const project::PhaseDifference* const difference = find_difference(c, phase);
      std::vector<Cell>& row = table.rows.emplace_back();
      row = {c.name, std::string(project::name_of_phase(phase.column)), phase.seconds, 100 * phase.share};
      row.resize(table.columns.size());
      if (difference == nullptr || !difference->interval) continue;
      row[4] = 100 * difference->change;
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
    for (const project::RangeDifference& range : c.length_differences)
      table.rows.push_back(
          {c.name, lengths_text(range), 100 * range.share, 100 * range.change, 100 * range.change_of_others});
  return table;
}

// --- operations

constexpr std::size_t kMaxOperations = 500;  // of each configuration

DataTable breakdown_data(const project::Breakdown& breakdown) {
  DataTable table{.columns = {"configuration", "name", "seconds", "share", "calls", "change",
                              "seconds more than the baseline", "give or take"},
                  .id = "breakdown",
                  .caption = "Seconds of the whole run, by " + std::string(project::name_of(breakdown.by))};
  for (const project::ConfigurationBreakdown& configuration : breakdown.configurations)
    for (std::size_t r = 0; r < std::min(kMaxOperations, configuration.rows.size()); ++r) {
      const project::BreakdownRow& row = configuration.rows[r];
      table.rows.push_back({configuration.name, row.name, row.seconds, row.share, row.count, row.change, row.difference,
                            row.half_width});
    }
  return table;
}

}  // namespace

std::vector<Figure> totals_figures(const report::Report& report) {
  if (report.source.projection == nullptr) return {};
  const project::Projection& projection = *report.source.projection;
  const std::vector<std::string> metrics = metrics_of(projection);
  if (metrics.empty()) return {};
  DataTable processes = processes_data(projection, metrics.front());
  const bool one = projection.configurations.size() == 1 && metrics.size() == 1;
  if (one && processes.rows.empty() && report.measured_totals.empty()) return {};  // only the answer would be drawn
  Figure figure{.id = "totals",
                .chart = "totals",
                .title = processes.rows.empty() ? "The whole run" : "The whole run, by process",
                .words = fmt::format("Whiskers are two-sided {} intervals for an epoch in a new process.",
                                     confidence_text(projection.confidence)),
                .tables = {projection_data(projection)},
                .metric = metrics.front()};
  if (!processes.rows.empty()) {
    figure.words += " Each small dot is a process, projected alone; a hollow one was disturbed.";
    figure.tables.push_back(std::move(processes));
  }
  if (!report.measured_totals.empty()) figure.tables.push_back(measured_data(report));
  if (metrics.size() > 1) figure.words += " The other metrics are in the table.";
  return {std::move(figure)};
}

std::vector<Figure> differences_figures(const report::Report& report) {
  const project::Projection* const projection = report.source.projection;
  if (projection == nullptr) return {};
  std::vector<Figure> figures;
  if (DataTable phases = phases_data(*projection); !phases.rows.empty())
    figures.push_back({.id = "phases",
                       .chart = "phases",
                       .title = "Phases of a batch",
                       .words = sentences_of(*projection, where_or_nowhere),
                       .tables = {std::move(phases)},
                       .metric = "runtime_s"});
  if (DataTable by_length = by_length_data(*projection); !by_length.rows.empty())
    figures.push_back({.id = "differences-by-length",
                       .chart = "differencesByLength",
                       .title = "Short and long batches",
                       .words = sentences_of(*projection, by_length_text),
                       .tables = {std::move(by_length)}});
  return figures;
}

std::vector<Figure> breakdown_figures(const report::Report& report) {
  if (report.source.projection == nullptr || !report.source.projection->breakdown) return {};
  const project::Breakdown& breakdown = *report.source.projection->breakdown;
  DataTable table = breakdown_data(breakdown);
  if (table.rows.empty()) return {};
  const std::string profiler = profiler_text(breakdown);
  return {{.id = "breakdown",
           .chart = "breakdown",
           .title = "Where the time goes",
           .words = fmt::format("Time of the whole run by {}, on the {}: the largest.{}",
                                project::name_of(breakdown.by), breakdown.kernels ? "device" : "host",
                                profiler.empty() ? "" : " The profiler: " + profiler + "."),
           .tables = {std::move(table)},
           .metric = "runtime_s"}};
}

std::vector<Figure> variance_figures(const report::Report& report) {
  if (report.source.diagnosis == nullptr) return {};
  DataTable table{.columns = {"configuration", "metric", "part", "share_pct"},
                  .id = "variance",
                  .caption = "Parts of the variance of each interval"};
  bool assumed = false;
  std::string last;  // the configuration whose first time is in the table
  for (const findings::Series& series : report.source.diagnosis->series) {
    if (!series.width || (!table.rows.empty() && series.configuration == last)) continue;
    last = series.configuration;
    assumed = assumed || series.width->processes == 1;
    for (const VariancePart& part : variance_parts(*series.width))
      if (part.share >= kLeastVariancePart)
        table.rows.push_back({series.configuration, series.metric, part.name, 100 * part.share});
  }
  if (table.rows.empty()) return {};
  return {{.id = "variance",
           .chart = "variance",
           .title = "What makes the interval wide",
           .words = std::string("The largest part is the one to reduce.") +
                    (assumed ? " One process does not show how much processes differ: that part is assumed." : ""),
           .tables = {std::move(table)}}};
}

}  // namespace seqpoint::io::views::html
