// Selections, projections and evaluations as tables.
#include "../numbers.hpp"
#include "seqpoint/io/views.hpp"

namespace seqpoint {
namespace {

bool is_seconds(const std::string& metric) { return metric.ends_with("_s") && !metric.ends_with("_per_s"); }

std::string percent_text(double share, int digits = 3) { return number_text(100 * share, digits); }
std::string full(double value) { return shortest(round12(value)); }

std::string times(double factor) { return number_text(factor, 3) + "x"; }

const Speedup* find_speedup(const ConfigurationProjection& configuration, const std::string& metric) {
  for (const Speedup& speedup : configuration.speedups)
    if (speedup.metric == metric) return &speedup;
  return nullptr;
}

std::vector<std::string> metric_row(const ConfigurationProjection& configuration, const MetricProjection& metric) {
  const bool seconds = is_seconds(metric.name) && metric.kind == MetricKind::total;
  const auto text = [&](double value) { return seconds ? duration_text(value) : number_text(value); };
  const bool timed = configuration.throughput && configuration.throughput->time_metric == metric.name;
  const Speedup* const speedup = find_speedup(configuration, metric.name);
  return {configuration.name,
          metric.name,
          text(metric.value),
          metric.per_epoch ? text(*metric.per_epoch) : "",
          timed ? number_text(configuration.throughput->samples_per_s) : "",
          timed && configuration.throughput->tokens_per_s ? number_text(*configuration.throughput->tokens_per_s) : "",
          speedup != nullptr ? times(speedup->value) : "",
          percent_text(metric.coverage, 4) + " %"};
}

/// Empty for methods that are not asked for a number of points.
std::string asked_text(const MethodScore& method) {
  if (method.asked) return std::to_string(*method.asked);
  return find_method(method.name).points == Method::Points::none ? "" : "auto";
}

std::string method_name(const MethodScore& method) {
  return method.name + (method.selected_on.empty() ? "" : " (on " + method.selected_on + ")");
}

}  // namespace

TextTable projection_table(const Projection& projection) {
  TextTable table{{{"configuration", "metric", "whole run", "per epoch", "samples/s", "tokens/s", "speedup", "coverage"}}, 2};
  for (const ConfigurationProjection& configuration : projection.configurations)
    for (const MetricProjection& metric : configuration.metrics) table.rows.push_back(metric_row(configuration, metric));
  return table;
}

TextTable projection_rows(const Projection& projection) {
  TextTable table{{{"configuration", "metric", "kind", "value", "per_epoch", "samples_per_s", "tokens_per_s",
                    "padded_tokens_per_s", "speedup", "coverage"}},
                  3};
  for (const ConfigurationProjection& c : projection.configurations)
    for (const MetricProjection& metric : c.metrics) {
      const bool timed = c.throughput && c.throughput->time_metric == metric.name;
      const Speedup* const speedup = find_speedup(c, metric.name);
      const char* const kind = metric.kind == MetricKind::total ? "total" : metric.kind == MetricKind::max ? "max" : "rate";
      table.rows.push_back({c.name, metric.name, kind, full(metric.value), metric.per_epoch ? full(*metric.per_epoch) : "",
                            timed ? full(c.throughput->samples_per_s) : "",
                            timed && c.throughput->tokens_per_s ? full(*c.throughput->tokens_per_s) : "",
                            timed ? full(c.throughput->padded_tokens_per_s) : "",
                            speedup != nullptr ? full(speedup->value) : "", full(metric.coverage)});
    }
  return table;
}

TextTable points_table(const Selection& selection) {
  const bool paired = selection.points.front().key.tgt_len.has_value();
  const bool batches = selection.points.front().key.batch_size.has_value();
  const bool squares = selection.points.front().key.sq_tokens.has_value();
  const bool phases = !selection.run.phases.empty();
  TextTable table{{{"point"}}, 1};
  if (phases) table.rows[0].emplace_back("phase");
  table.rows[0].emplace_back(selection.run.varlen ? "tokens" : "src_len");
  if (paired) table.rows[0].emplace_back("tgt_len");
  if (batches) table.rows[0].emplace_back("batch_size");
  if (squares) table.rows[0].emplace_back("sq_tokens");
  for (const char* const name : {"weight", "share", "profile iteration"}) table.rows[0].emplace_back(name);
  for (const Point& point : selection.points) {
    std::vector<std::string> row{point.id};
    if (phases) row.push_back(std::to_string(point.phase));
    row.push_back(std::to_string(point.key.src_len));
    if (paired) row.push_back(std::to_string(point.key.tgt_len.value_or(0)));
    if (batches) row.push_back(std::to_string(point.key.batch_size.value_or(0)));
    if (squares) row.push_back(std::to_string(point.key.sq_tokens.value_or(0)));
    row.push_back(shortest(point.weight.iterations()));
    row.push_back(percent_text(point.weight.iterations() / static_cast<double>(selection.run.iterations)) + " %");
    row.push_back(std::to_string(point.iterations.front()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable sizes_table(const std::vector<SizeRecord>& sizes) {
  TextTable table{{{"points", "error %", "n_eff"}}, 0};
  for (const SizeRecord& size : sizes)
    table.rows.push_back({std::to_string(size.points), percent_text(size.error), number_text(size.n_eff, 3)});
  if (sizes.back().phase == 0) return table;
  table.rows[0].insert(table.rows[0].begin(), "phase");
  for (std::size_t s = 0; s < sizes.size(); ++s) table.rows[s + 1].insert(table.rows[s + 1].begin(), std::to_string(sizes[s].phase));
  return table;
}

TextTable evaluation_table(const Evaluation& evaluation) {
  TextTable table{{{"method", "asked", "points", "n_eff"}}, 1};
  for (const ConfigurationScore& c : evaluation.methods.front().configurations) table.rows[0].push_back(c.name + " %");
  table.rows[0].emplace_back("geomean %");
  for (const ConfigurationScore& c : evaluation.methods.front().configurations)
    if (c.speedup) table.rows[0].push_back("speedup " + c.name + " %");
  for (const char* const name : {"serial", "parallel", "count"}) table.rows[0].emplace_back(name);
  for (const MethodScore& method : evaluation.methods) {
    std::vector<std::string> row{method_name(method), asked_text(method), std::to_string(method.points), number_text(method.n_eff, 3)};
    for (const ConfigurationScore& c : method.configurations) row.push_back(percent_text(c.total.rms));
    row.push_back(percent_text(method.geomean_error));
    for (const ConfigurationScore& c : method.configurations)
      if (c.speedup) row.push_back(percent_text(c.speedup->rms));
    for (const double factor : {method.reduction.serial, method.reduction.parallel, method.reduction.count})
      row.push_back(times(factor));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable evaluation_rows(const Evaluation& evaluation) {
  TextTable table{{{"method", "selected_on", "asked", "points", "n_eff", "configuration", "bias_pct", "rms_error_pct", "speedup_bias_pct",
                    "speedup_rms_error_pct", "geomean_error_pct", "speedup_geomean_error_pct", "serial", "parallel", "count"}},
                  2};
  const auto percent = [](double share) { return full(100 * share); };
  for (const MethodScore& m : evaluation.methods)
    for (const ConfigurationScore& c : m.configurations)
      table.rows.push_back({m.name, m.selected_on, asked_text(m), std::to_string(m.points), full(m.n_eff), c.name, percent(c.total.bias),
                            percent(c.total.rms), c.speedup ? percent(c.speedup->bias) : "",
                            c.speedup ? percent(c.speedup->rms) : "", percent(m.geomean_error),
                            m.speedup_geomean_error ? percent(*m.speedup_geomean_error) : "", full(m.reduction.serial),
                            full(m.reduction.parallel), full(m.reduction.count)});
  return table;
}

}  // namespace seqpoint
