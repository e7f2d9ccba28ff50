// Selections and evaluations as tables.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/evaluate/evaluation.hpp"
#include "io/text/number.hpp"
#include "io/views/cells.hpp"

namespace seqpoint::io::views {
namespace {

/// A share in percent without the sign: 0.125 is "12.5".
std::string percent_number(double share, int digits = 3) { return number_text(100 * share, digits); }

/// "12.3x"; "-" if the factor is not finite.
std::string factor_text(double factor) { return number_text(factor, 3) + (std::isfinite(factor) ? "x" : ""); }

/// The name, with the configuration whose times chose the points: "kmeans (on v1)"; marked if all trials are the same.
std::string method_name(const evaluate::MethodScore& method) {
  return method.name + (method.selected_on.empty() ? "" : fmt::format(" (on {})", method.selected_on)) +
         (method.sampled_points == 0 ? " (one realisation)" : "");
}

/// "12.5 %"; "-" if missing.
std::string share_text(const std::optional<double>& share) { return share ? percent_number(*share) + " %" : "-"; }

/// The smallest coverage of all configurations, over totals and speedups; "-" if none is known.
std::string coverage_text(const evaluate::MethodScore& method) {
  std::optional<double> least;
  const auto include = [&](const std::optional<double>& coverage) {
    if (coverage) least = std::min(least.value_or(1), *coverage);
  };
  for (const evaluate::ConfigurationScore& c : method.configurations) {
    include(c.total.coverage);
    if (c.speedup) include(c.speedup->coverage);
  }
  return share_text(least);
}

/// The header of evaluation_rows(), without rows.
DataTable evaluation_columns() {
  return {{"method",
           "selected_on",
           "asked",
           "points",
           "n_eff",
           "configuration",
           "bias_pct",
           "rms_error_pct",
           "speedup_bias_pct",
           "speedup_rms_error_pct",
           "geomean_error_pct",
           "speedup_geomean_error_pct",
           "serial",
           "parallel",
           "count",
           "coverage",
           "interval_width_pct",
           "speedup_coverage",
           "speedup_interval_width_pct",
           "measurements",
           "executions",
           "onto_bias_pct",
           "onto_rms_error_pct",
           "onto_coverage",
           "onto_interval_width_pct",
           "sampled_points"}};
}

}  // namespace

TextTable points_table(const select::Selection& selection) {
  const bool phases = !selection.run.phases.empty();
  TextTable table{{{"point", "phase"}}, 1};
  for (const trace::Dimension d : trace::kDimensions) table.rows[0].emplace_back(trace::name_of(d));
  for (const char* const name : {"length group", "weight", "share", "batch", "repeats"})
    table.rows[0].emplace_back(name);
  for (const select::Point& point : selection.points) {
    std::vector<std::string>& row =
        table.rows.emplace_back(std::vector<std::string>{point.id, phases ? std::to_string(point.phase) : ""});
    const auto parts = trace::PartialShape::of(selection.run.kind, point.shape);
    for (const trace::Dimension d : trace::kDimensions) row.push_back(Cell(parts[d]).text());
    row.push_back(Cell(point.length_group).text());
    row.push_back(text::shortest(point.weight.iterations()));
    row.push_back(percent_number(point.weight.iterations() / static_cast<double>(selection.run.iterations)) + " %");
    row.push_back(std::to_string(point.iterations.front()));
    row.push_back(selection.method.repeats ? std::to_string(point.repeats) : "");
  }
  return without_empty_columns(std::move(table));
}

TextTable numbers_of_points_table(const std::vector<select::NumberOfPointsRecord>& sizes) {
  TextTable table{{{"phase", "points", "expected error %", "noise %", "representation %", "n_eff"}}, 0};
  const auto text = [](double share) { return std::isfinite(share) ? percent_number(share) : "unknown"; };
  for (const select::NumberOfPointsRecord& size : sizes)
    table.rows.push_back({sizes.back().phase == 0 ? "" : std::to_string(size.phase), std::to_string(size.points),
                          text(size.expected.total()), text(size.expected.noise), text(size.expected.representation),
                          number_text(size.effective_sample_size, 3)});
  return without_empty_columns(std::move(table));
}

TextTable evaluation_table(const evaluate::Evaluation& evaluation) {
  TextTable table{{{"method", "asked", "points", "measured", "executions", "n_eff"}}, 1};
  for (const evaluate::ConfigurationScore& c : evaluation.methods.front().configurations)
    table.rows[0].push_back(c.name + " %");
  table.rows[0].emplace_back("geomean %");
  for (const evaluate::ConfigurationScore& c : evaluation.methods.front().configurations)
    if (c.speedup) table.rows[0].push_back(fmt::format("speedup {} %", c.name));
  table.rows[0].emplace_back("intervals hold");
  const bool onto = evaluation.iterations_onto > 0;
  if (onto) table.rows[0].insert(table.rows[0].end(), {"onto %", "onto holds"});
  for (const char* const name : {"serial", "parallel", "count"}) table.rows[0].emplace_back(name);
  for (const evaluate::MethodScore& method : evaluation.methods) {
    std::vector<std::string> row{method_name(method),
                                 evaluate::points_asked_text(method),
                                 std::to_string(method.points),
                                 std::to_string(method.measurements),
                                 std::to_string(method.executions),
                                 number_text(method.effective_sample_size, 3)};
    for (const evaluate::ConfigurationScore& c : method.configurations) row.push_back(percent_number(c.total.rms));
    row.push_back(percent_number(method.geomean_error));
    for (const evaluate::ConfigurationScore& c : method.configurations)
      if (c.speedup) row.push_back(percent_number(c.speedup->rms));
    row.push_back(coverage_text(method));
    if (onto) row.push_back(method.onto->total ? percent_number(method.onto->total->rms) : "none");
    if (onto) row.push_back(share_text(method.onto->total ? method.onto->total->coverage : std::nullopt));
    for (const double factor : {method.reduction.serial, method.reduction.parallel, method.reduction.count})
      row.push_back(factor_text(factor));
    table.rows.push_back(std::move(row));
  }
  return table;
}

DataTable evaluation_rows(const evaluate::Evaluation& evaluation) {
  DataTable table = evaluation_columns();
  constexpr evaluate::ErrorSummary kNone{.bias = NAN, .rms = NAN};
  const auto percent = [](const std::optional<double>& share) { return share ? 100 * *share : Cell(); };
  for (const evaluate::MethodScore& m : evaluation.methods)
    for (const evaluate::ConfigurationScore& c : m.configurations) {
      const evaluate::ErrorSummary of_speedup = c.speedup.value_or(kNone);
      const bool has_onto = m.onto && &c == &m.configurations.front();
      const evaluate::ErrorSummary onto = has_onto ? m.onto->total.value_or(kNone) : kNone;
      table.rows.push_back({m.name,
                            m.selected_on,
                            evaluate::points_asked_text(m),
                            m.points,
                            m.effective_sample_size,
                            c.name,
                            100 * c.total.bias,
                            100 * c.total.rms,
                            100 * of_speedup.bias,
                            100 * of_speedup.rms,
                            100 * m.geomean_error,
                            percent(m.speedup_geomean_error),
                            m.reduction.serial,
                            m.reduction.parallel,
                            m.reduction.count,
                            c.total.coverage,
                            percent(c.total.width),
                            of_speedup.coverage,
                            percent(of_speedup.width),
                            m.measurements,
                            m.executions,
                            100 * onto.bias,
                            100 * onto.rms,
                            onto.coverage,
                            percent(onto.width),
                            m.sampled_points});
    }
  return table;
}

}  // namespace seqpoint::io::views
