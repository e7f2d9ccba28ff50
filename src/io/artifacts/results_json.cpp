// The JSON of projection and evaluation.
#include <cmath>
#include <optional>
#include <variant>

#include "core/findings/diagnosis.hpp"
#include "core/project/projection.hpp"
#include "io/artifacts/json.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/artifacts/selection_digest.hpp"
#include "io/artifacts/studies.hpp"
#include "io/views/diagnosis_text.hpp"
#include "io/views/projection_columns.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// Adds the figure's interval and one-sided bounds to `json`. Without a finite interval, low and high are null and a
/// note gives the reason.
template <class Figure>
Json with_interval(const Figure& figure, Json json) {
  const bool stated = figure.interval && std::isfinite(figure.interval->low) && std::isfinite(figure.interval->high);
  json["low"] = stated ? rounded_json(figure.interval->low) : Json(nullptr);
  json["high"] = stated ? rounded_json(figure.interval->high) : Json(nullptr);
  if (stated) {
    json["at_least"] = rounded_json(figure.interval.bounds.low);
    json["at_most"] = rounded_json(figure.interval.bounds.high);
  }
  if (!stated) json["interval_note"] = figure.interval ? "an end is beyond all numbers" : figure.interval.reason;
  return json;
}

/// A figure as a column writes it.
Json figure_json(const views::Column& column, const std::optional<double>& figure) {
  if (!figure) return nullptr;
  if (column.form == views::Form::count) return static_cast<std::uint64_t>(*figure);
  return rounded_json(*figure);
}

/// Adds the columns that are keys of `object`.
void add_columns(Json& json, views::JsonObject object, const views::MetricRow& row) {
  for (const views::Column& column : views::projection_columns()) {
    if (column.json != object) continue;
    const std::optional<double> figure = column.figure(row);
    if (figure || column.is_required) json[std::string(column.name)] = figure_json(column, figure);
  }
}

/// For columns that do not depend on a metric.
const project::MetricProjection kNoMetric;

/// Rates per second, and the time metric that gives them. Null if there is no throughput.
Json throughput_json(const project::ConfigurationProjection& configuration) {
  if (!configuration.throughput) return nullptr;
  Json json{{"time", configuration.throughput->time_metric}};
  add_columns(json, views::JsonObject::throughput,
              {.configuration = configuration, .metric = kNoMetric, .throughput = &*configuration.throughput});
  return json;
}

/// The measured weight is written only if it differs from that of the configuration.
Json metric_json(const project::ConfigurationProjection& configuration, const project::MetricProjection& metric) {
  Json json = with_interval(metric, {{"kind", project::name_of(metric.kind)}, {"value", rounded_json(metric.value)}});
  add_columns(json, views::JsonObject::metric, {.configuration = configuration, .metric = metric});
  if (metric.measured_weight != configuration.measured_weight)
    json["measured_weight"] = rounded_json(metric.measured_weight);
  return json;
}

/// One row per point: its id, the number of measurements, their mean or median, the smallest and the largest of them.
Json measured_json(const std::vector<project::MeasuredMetric>& measured) {
  Json metrics = Json::object();
  for (const project::MeasuredMetric& metric : measured) {
    Json rows = Json::array();
    for (const project::PointMeasurement& point : metric.points)
      rows.push_back(
          {point.id, point.repeats, rounded_json(point.value), rounded_json(point.least), rounded_json(point.most)});
    metrics[metric.name] = std::move(rows);
  }
  return metrics;
}

Json executed_json(const project::Executed& executed) {
  Json json{{"executions", executed.executions}, {"warmup", executed.warmup}, {"first", executed.first}};
  if (executed.padded_tokens) json["padded_tokens"] = *executed.padded_tokens;
  json["fewer"] = rounded_json(executed.fewer);
  if (executed.fewer_tokens) json["fewer_tokens"] = rounded_json(*executed.fewer_tokens);
  return json;
}

Json cold_start_json(const project::ColdStart& cost) {
  Json json{{"each_s", rounded_json(cost.seconds_each)},
            {"points", cost.points},
            {"shapes", cost.shapes},
            {"about_s", rounded_json(cost.about())},
            {"at_most_s", rounded_json(cost.at_most())}};
  if (cost.is_of_part) json["of_part"] = true;
  return json;
}

Json process_json(const project::ProcessEstimate& process) {
  Json json = with_interval(
      process,
      {{"name", process.name}, {"estimate", rounded_json(process.value)}, {"disturbed", process.is_disturbed}});
  if (process.in_a_row) json["in_a_row"] = rounded_json(*process.in_a_row);
  return json;
}

Json phases_json(const project::ConfigurationProjection& c) {
  Json phases = Json::object();
  for (const project::Phase& phase : c.phases)
    phases[phase.column] = {{"seconds", rounded_json(phase.seconds)}, {"share", rounded_json(phase.share)}};
  for (const project::PhaseDifference& difference : c.phase_differences) {
    Json& phase = phases[difference.column];
    phase["change"] = rounded_json(difference.change);
    phase["low"] = difference.interval ? rounded_json(difference.interval->low) : Json(nullptr);
    phase["high"] = difference.interval ? rounded_json(difference.interval->high) : Json(nullptr);
    phase["is_cause"] = difference.is_cause;
  }
  return phases;
}

Json speedup_json(const project::Speedup& speedup) {
  Json json = with_interval(speedup, {{"value", rounded_json(speedup.value)}});
  if (!speedup.processes_agree) json["processes_agree"] = false;
  return json;
}

Json length_range_json(const project::RangeDifference& range) {
  const auto end = [&](double project::Interval::*of) {
    return range.interval ? rounded_json((*range.interval).*of) : Json(nullptr);
  };
  return {{"above", rounded_json(range.above)},
          {"up_to", rounded_json(range.up_to)},
          {"share", rounded_json(range.share)},
          {"change", rounded_json(range.change)},
          {"others", rounded_json(range.change_of_others)},
          {"low", end(&project::Interval::low)},
          {"high", end(&project::Interval::high)},
          {"is_cause", range.is_cause}};
}

Json configuration_json(const project::ConfigurationProjection& configuration) {
  Json metrics = Json::object(), speedups = Json::object();
  for (const project::MetricProjection& metric : configuration.metrics)
    metrics[metric.name] = metric_json(configuration, metric);
  for (const project::Speedup& speedup : configuration.speedups) speedups[speedup.metric] = speedup_json(speedup);
  Json json{{"name", configuration.name}};
  json["measured_weight"] = rounded_json(configuration.measured_weight);
  json["missing_points"] = configuration.missing_points;
  add_columns(json, views::JsonObject::configuration, {.configuration = configuration, .metric = kNoMetric});
  json["executed"] = executed_json(configuration.executed);
  json["metrics"] = std::move(metrics);
  for (const project::ProcessEstimate& process : configuration.process_estimates)
    json["processes"].push_back(process_json(process));
  if (configuration.draws) json["draws"] = rounded_json(*configuration.draws);
  if (configuration.processes_agree) json["processes_agree"] = *configuration.processes_agree;
  if (configuration.processor_s) json["processor_s"] = rounded_json(*configuration.processor_s);
  for (const project::ColdStart& cost : configuration.cold_start)
    json["cold_start"][cost.metric] = cold_start_json(cost);
  if (!configuration.phases.empty()) json["phases"] = phases_json(configuration);
  for (const project::RangeDifference& range : configuration.length_differences)
    json["by_length"].push_back(length_range_json(range));
  if (!configuration.partial.empty()) json["partial"] = configuration.partial;
  if (!configuration.not_projected.empty()) json["not_projected"] = configuration.not_projected;
  json["throughput"] = throughput_json(configuration);
  json["speedup"] = std::move(speedups);
  json["measured"] = measured_json(configuration.measured);
  return json;
}

Json target_run_json(const project::TargetRun& onto) {
  return {{"digest", onto.digest},
          {"iterations", onto.run.iterations},
          {"extrapolated_share", rounded_json(onto.extrapolated_share)},
          {"farthest", rounded_json(onto.largest_distance)}};
}

Json percent(double share) { return rounded_json(100 * share); }

Json percent_or_null(const std::optional<double>& share) { return share ? percent(*share) : Json(nullptr); }

Json errors_json(const evaluate::ErrorSummary& errors) {
  return {{"bias_pct", percent(errors.bias)},
          {"rms_error_pct", percent(errors.rms)},
          {"coverage", errors.coverage ? rounded_json(*errors.coverage) : Json(nullptr)},
          {"interval_width_pct", percent_or_null(errors.width)}};
}

/// The errors of predicting another run. All figures are null if there is no prediction; the note then gives the
/// reason.
Json onto_json(const evaluate::OntoScore& onto) {
  Json json = errors_json(onto.total.value_or(evaluate::ErrorSummary{}));
  if (!onto.total)
    for (Json& figure : json) figure = nullptr;
  if (!onto.reason.empty()) json["note"] = onto.reason;
  return json;
}

Json score_json(const evaluate::MethodScore& method) {
  Json configurations = Json::object(), speedups = Json::object();
  for (const evaluate::ConfigurationScore& c : method.configurations) {
    configurations[c.name] = errors_json(c.total);
    if (c.speedup) speedups[c.name] = errors_json(*c.speedup);
  }
  Json json{{"name", method.name},
            {"points", method.points},
            {"sampled_points", method.sampled_points},
            {"advised", method.advised},
            {"measurements", method.measurements},
            {"executions", method.executions},
            {"parameters", parameters_json(method.parameters)},
            {"n_eff", rounded_json(method.effective_sample_size)},
            {"selected_on", method.selected_on.empty() ? Json(nullptr) : Json(method.selected_on)},
            {"configurations", std::move(configurations)},
            {"speedups", std::move(speedups)},
            {"geomean_error_pct", percent(method.geomean_error)},
            {"speedup_geomean_error_pct", percent_or_null(method.speedup_geomean_error)}};
  if (method.onto) json["onto"] = onto_json(*method.onto);
  json["reduction"] = {{"serial", rounded_json(method.reduction.serial)},
                       {"parallel", rounded_json(method.reduction.parallel)},
                       {"count", rounded_json(method.reduction.count)}};
  return json;
}

Json overheads_json(const project::Overheads& overheads) {
  return {{"per_epoch_s", rounded_json(overheads.per_epoch_s)}, {"seconds", rounded_json(overheads.seconds)}};
}

/// A measured total compared with its projection. "inside" is null if the projection has no interval.
Json truth_json(const report::MeasuredTotal& total) {
  return {
      {"configuration", total.configuration},         {"metric", total.metric},
      {"projected", rounded_json(total.projected)},   {"measured", rounded_json(total.measured)},
      {"difference", rounded_json(total.difference)}, {"inside", total.inside ? Json(*total.inside) : Json(nullptr)}};
}

Json breakdown_json(const project::Breakdown& breakdown) {
  Json configurations = Json::array();
  for (const project::ConfigurationBreakdown& c : breakdown.configurations) {
    Json rows = Json::array();
    for (const project::BreakdownRow& row : c.rows) {
      rows.push_back({{"name", row.name},
                      {"seconds", rounded_json(row.seconds)},
                      {"share", rounded_json(row.share)},
                      {"calls", rounded_json(row.count)},
                      {"change", row.change ? rounded_json(*row.change) : Json(nullptr)}});
      if (row.difference) rows.back()["difference"] = rounded_json(*row.difference);
      if (row.half_width) rows.back()["half_width"] = rounded_json(*row.half_width);
    }
    Json& json = configurations.emplace_back(Json{{"name", c.name}, {"seconds", rounded_json(c.seconds)}});
    json["measured_weight"] = rounded_json(c.measured_weight);
    if (c.slowdown) json["slowdown"] = rounded_json(*c.slowdown);
    json["rows"] = std::move(rows);
  }
  return {{"by", project::name_of(breakdown.by)},
          {"time_source", breakdown.kernels ? "gpu-sum" : "host"},
          {"configurations", std::move(configurations)}};
}

Json number_or_null(const std::optional<double>& value) { return value ? rounded_json(*value) : Json(nullptr); }

/// The shares of an interval's variance, by cause and by point, and the noise behind them.
Json width_json(const findings::Width& width) {
  Json points = Json::array();
  for (const findings::PointPart& point : width.points)
    points.push_back({{"id", point.id},
                      {"share", rounded_json(point.share)},
                      {"change_without", number_or_null(point.change_without)}});
  Json json{{"iterations", rounded_json(width.iterations)},
            {"measurements", rounded_json(width.measurements)},
            {"between", rounded_json(width.between)},
            {"missed", rounded_json(width.missed)},
            {"own", rounded_json(width.own)},
            {"between_processes", rounded_json(width.between_processes)},
            {"scale", rounded_json(width.scale)},
            {"misfit_scale", rounded_json(width.misfit_scale)},
            {"spread", rounded_json(width.spread)},
            {"processes", width.processes},
            {"points", std::move(points)}};
  return json;
}

const char* name_of(findings::NextStep::What what) {
  switch (what) {
    case findings::NextStep::What::missing_points: return "missing-points";
    case findings::NextStep::What::more_points: return "more-points";
    case findings::NextStep::What::more_processes: break;
  }
  return "more-processes";
}

/// The next step. Zero numbers and a missing interval are left out.
Json next_json(const findings::NextStep& next) {
  Json measure = Json::object();
  for (const auto& [id, more] : next.measure) measure[id] = more;
  Json json{{"what", name_of(next.what)}, {"measure", std::move(measure)}};
  if (next.points > 0) json["points"] = next.points;
  if (next.processes > 0) json["processes"] = next.processes;
  if (next.expected) json["low"] = rounded_json(next.expected->low);
  if (next.expected) json["high"] = rounded_json(next.expected->high);
  return json;
}

Json series_json(const findings::Series& series) {
  Json json{{"configuration", series.configuration},
            {"metric", series.metric},
            {"points", series.points},
            {"measurements", series.measurements},
            {"value", rounded_json(series.total)},
            {"low", series.interval ? rounded_json(series.interval->low) : Json(nullptr)},
            {"high", series.interval ? rounded_json(series.interval->high) : Json(nullptr)}};
  if (!series.interval) json["interval_note"] = series.interval.reason;
  if (series.width) json["width"] = width_json(*series.width);
  if (series.next) json["next"] = next_json(*series.next);
  return json;
}

/// The value of "explanation" in a projection's JSON, which --explain adds: an object with findings of its own.
Json explanation_json(const findings::Diagnosis& diagnosis) {
  Json series = Json::array();
  for (const findings::Series& one : diagnosis.series) series.push_back(series_json(one));
  return {{"times", std::move(series)}};
}

/// `confidence`: of the document; that of the bounds is added if it differs.
Json check_json(const project::Check& check, bool inconclusive_fails, double confidence) {
  Json json{{"gate", project::name_of(check.gate)}, {"subject", check.subject}, {"configuration", check.configuration}};
  if (!check.metric.empty()) json["metric"] = check.metric;
  if (!check.reference.empty()) json["reference"] = check.reference;
  json["limit"] = rounded_json(check.limit);
  json["value"] = check.value ? rounded_json(*check.value) : Json(nullptr);
  json["low"] = check.interval ? rounded_json(check.interval->low) : Json(nullptr);
  json["high"] = check.interval ? rounded_json(check.interval->high) : Json(nullptr);
  if (check.bounds) {
    json["at_least"] = rounded_json(check.bounds->low);
    json["at_most"] = rounded_json(check.bounds->high);
    if (check.confidence != confidence) json["confidence"] = rounded_json(check.confidence);
  }
  json["verdict"] = project::name_of(check.verdict);
  json["passed"] = project::passes(check, inconclusive_fails);
  if (!check.note.empty()) json["note"] = check.note;
  if (check.detectable) json["detectable"] = rounded_json(*check.detectable);
  if (check.more_processes) json["more_processes"] = *check.more_processes;
  return json;
}

/// Adds "gates": every check, and whether the check passes. Adds nothing if there are no checks.
void add_gates(Json& json, const project::Gates& gates) {
  if (gates.checks.empty()) return;
  Json list = Json::array();
  const double confidence = json.value("confidence", 0.95);
  for (const project::Check& check : gates.checks)
    list.push_back(check_json(check, gates.inconclusive_fails, confidence));
  json["gates"] = std::move(list);
}

}  // namespace

Json findings_json(const std::vector<Finding>& findings) {
  Json all = Json::array();
  for (const Finding& finding : findings) {
    Json& json = all.emplace_back(Json{{"id", finding.kind.id}, {"severe", finding.severe}});
    if (!finding.subject.empty()) json["subject"] = finding.subject;
    if (!finding.place.source.empty()) json["file"] = finding.place.source;
    if (finding.place.line > 0) json["line"] = finding.place.line;
    if (!finding.place.field.empty()) json["field"] = finding.place.field;
    json["figures"] = Json::object();
    for (const auto& [name, figure] : finding.figures) {
      const Json value = std::visit([](const auto& of) { return Json(of); }, figure);
      json["figures"][std::string(name)] = value.is_number_float() ? rounded_json(value) : value;
    }
    json["message"] = views::message_of(finding);
  }
  return all;
}

std::string projection_json(const project::Projection& projection, const select::Selection& selection,
                            const project::Gates& gates, std::span<const report::MeasuredTotal> truths,
                            const findings::Diagnosis* explanation, const Provenance& provenance,
                            const std::vector<std::string>& contradictions) {
  Json configurations = Json::array();
  for (const auto& configuration : projection.configurations)
    configurations.push_back(configuration_json(configuration));
  const trace::RunSummary& run = projection.target_run ? projection.target_run->run : selection.run;
  Json json{{"schema", schema_name("projection")},
            {"digest", ""},
            {"selection", selection.digest},
            {"baseline", projection.baseline},
            {"confidence", projection.confidence},
            {"run",
             {{"iterations", run.iterations},
              {"samples", run.samples},
              {"epochs", run.epochs},
              {"digest", run_digest(run)},
              {"points", selection.points.size()}}}};
  if (projection.target_run) json["onto"] = target_run_json(*projection.target_run);
  if (projection.overheads) json["overheads"] = overheads_json(*projection.overheads);
  json["configurations"] = std::move(configurations);
  if (!projection.time_source.empty()) json["time_source"] = projection.time_source;
  if (projection.breakdown) json["breakdown"] = breakdown_json(*projection.breakdown);
  if (!projection.findings.empty()) json["findings"] = findings_json(projection.findings);
  if (!contradictions.empty()) json["contradictions"] = contradictions;
  add_gates(json, gates);
  for (const report::MeasuredTotal& truth : truths) json["truth"].push_back(truth_json(truth));
  if (explanation != nullptr) json["explanation"] = explanation_json(*explanation);
  json["digest"] = content_digest(json);
  json["provenance"] = provenance_json(provenance);
  return json_text(json);
}

std::string evaluation_json(const evaluate::Evaluation& evaluation, const project::Gates& gates,
                            const Provenance& provenance) {
  Json methods = Json::array();
  for (const evaluate::MethodScore& method : evaluation.methods) methods.push_back(score_json(method));
  Json json{{"schema", schema_name("evaluation")}, {"statistic", evaluation.metric},
            {"draws", evaluation.draws},           {"repeats", evaluation.repeats},
            {"baseline", evaluation.baseline},     {"iterations", evaluation.iterations}};
  if (evaluation.iterations_onto > 0)
    json["onto"] = {{"configuration", evaluation.baseline}, {"iterations", evaluation.iterations_onto}};
  json["methods"] = std::move(methods);
  add_gates(json, gates);
  json["provenance"] = provenance_json(provenance);
  return json_text(json);
}

}  // namespace seqpoint::io::artifacts
