// How far off each method is on runs that were measured in full.
#include <fmt/core.h>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/row_panel.hpp"
#include "seqpoint/io/views/tables.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

std::string name_of(const evaluate::MethodScore& method) {
  return fmt::format("{}, {}{}{}", method.name, method.advised ? "advised: " : "", count_text(method.points, "point"),
                     method.selected_on.empty() ? "" : fmt::format(" (on {})", method.selected_on));
}

RowPanel panel_of(const evaluate::Evaluation& evaluation) {
  RowPanel panel{"RMS error, % of the measured run (one mark a configuration)", {}, {}, true, true, true};
  for (const evaluate::MethodScore& method : evaluation.methods) {
    Row row{name_of(method), number_text(100 * method.geomean_error, 3) + " %", {}};
    for (std::size_t c = 0; c < method.configurations.size(); ++c) {
      const evaluate::ConfigurationScore& score = method.configurations[c];
      const double error = 100 * score.total.rms;
      if (!(error > 0)) panel.logarithmic = false;
      row.values.push_back({.series = c,
                            .value = error,
                            .interval = {},
                            .tip = fmt::format("{} on {}: {} %", row.name, score.name, number_text(error, 3))});
    }
    panel.rows.push_back(std::move(row));
  }
  return panel;
}

std::string draw_methods(const evaluate::Evaluation& evaluation) {
  const RowPanel panel = panel_of(evaluation);
  const double head = 26;
  Svg svg(kFullWidth, head + height_of(panel), "Errors of the methods");
  double at = 6;
  const std::vector<evaluate::ConfigurationScore>& configurations = evaluation.methods.front().configurations;
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    const std::string name = shortened(configurations[c].name, 24);
    svg.open("g", {{"class", series_class(c)}});
    svg.mark("path", {{"class", "marker"}, {"d", marker_path(c, at, 8, 5)}});
    svg.text(at + 11, 12, Anchor::start, "label", name);
    svg.close("g");
    at += 32 + text_width(name);
  }
  draw_rows(svg, panel, 0, kFullWidth, head);
  return svg.finish();
}

Cell percent_cell(const std::optional<double>& share) { return share ? cell(100 * *share) : Cell(); }

DataTable methods_table(const evaluate::Evaluation& evaluation) {
  DataTable table{
      .id = "methods",
      .caption = "Errors are signed, in percent of the truth; reductions are the full run over the profiled points",
      .columns = {"method", "points", "selected_on", "n_eff", "configuration", "bias_pct", "rms_error_pct", "coverage",
                  "interval_width_pct", "speedup_bias_pct", "speedup_rms_error_pct", "geomean_error_pct", "serial",
                  "parallel", "count"},
      .rows = {}};
  for (const evaluate::MethodScore& m : evaluation.methods)
    for (const evaluate::ConfigurationScore& c : m.configurations)
      table.rows.push_back({m.name, m.points, m.selected_on.empty() ? Cell() : Cell(m.selected_on),
                            cell(m.effective_sample_size), c.name, cell(100 * c.total.bias), cell(100 * c.total.rms),
                            cell(c.total.coverage), percent_cell(c.total.width),
                            c.speedup ? cell(100 * c.speedup->bias) : Cell(),
                            c.speedup ? cell(100 * c.speedup->rms) : Cell(), cell(100 * m.geomean_error),
                            cell(m.reduction.serial), cell(m.reduction.parallel), cell(m.reduction.count)});
  return table;
}

}  // namespace

std::vector<Figure> methods_figures(const report::Report& report) {
  if (report.source.evaluation == nullptr || report.source.evaluation->methods.empty()) return {};
  const evaluate::Evaluation& evaluation = *report.source.evaluation;
  const std::string words = fmt::format(
      "How far projections of {} are from the run as measured, over {} of which iterations were profiled. The number "
      "at the right is the geometric mean over the configurations.",
      evaluation.statistic, count_text(evaluation.draws, "draw"));
  return {{.id = "methods",
           .title = "Errors of the methods",
           .words = words,
           .picture = draw_methods(evaluation),
           .tables = {methods_table(evaluation)},
           .half = false}};
}

}  // namespace seqpoint::io::views::html::charts
