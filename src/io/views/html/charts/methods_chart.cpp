// The errors of each method on runs that were measured in full.
#include <fmt/core.h>

#include "io/views/html/charts/charts.hpp"
#include "io/views/html/row_panel.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views::html::charts {
namespace {

std::string name_of(const evaluate::MethodScore& method) {
  return fmt::format("{}, {}{}{}{}", method.name, method.advised ? "advised: " : "", counted(method.points, "point"),
                     method.selected_on.empty() ? "" : fmt::format(" (on {})", method.selected_on),
                     method.sampled_points == 0 ? " (one realisation)" : "");
}

/// A row per method with the RMS error in percent on every configuration. The axis is logarithmic unless an error is 0.
RowPanel panel_of(const evaluate::Evaluation& evaluation) {
  RowPanel panel{.title = "RMS error, % of the measured run (one mark a configuration)", .logarithmic = true};
  for (const evaluate::MethodScore& method : evaluation.methods) {
    const std::string name = name_of(method);
    Row& row = panel.rows.emplace_back(Row{name, percent_text(method.geomean_error), {}});
    for (std::size_t c = 0; c < method.configurations.size(); ++c) {
      const evaluate::ConfigurationScore& score = method.configurations[c];
      const double error = 100 * score.total.rms;
      if (!(error > 0)) panel.logarithmic = false;
      row.values.push_back({.series = c,
                            .value = error,
                            .interval = {},
                            .tip = fmt::format("{} on {}: {} %", name, score.name, number_text(error, 3))});
    }
  }
  return panel;
}

}  // namespace

std::vector<Figure> methods_figures(const report::Report& report) {
  if (report.source.evaluation == nullptr || report.source.evaluation->methods.empty()) return {};
  const evaluate::Evaluation& evaluation = *report.source.evaluation;
  std::vector<std::string> names;
  for (const evaluate::ConfigurationScore& c : evaluation.methods.front().configurations) names.push_back(c.name);
  DataTable table = evaluation_rows(evaluation);
  table.id = "methods";
  table.caption =
      "Errors are signed, in percent of the measured total; reductions are the full run over the profiled points";
  const std::string words = fmt::format(
      "How far projections of {} are from the run as measured, over {} of which iterations were profiled. The number "
      "at the right is the geometric mean over the configurations.",
      evaluation.metric, counted(evaluation.draws, "draw"));
  return {{.id = "methods",
           .title = "Errors of the methods",
           .words = words,
           .picture = draw_panel(panel_of(evaluation), "Errors of the methods", Legend(names)),
           .tables = {std::move(table)}}};
}

}  // namespace seqpoint::io::views::html::charts
