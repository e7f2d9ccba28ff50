// Projection and evaluation.
#include "breakdown_json.hpp"

namespace seqpoint {
namespace {

constexpr auto kNoInterval = "this version states no intervals";

Json with_interval(Json json) {
  json["low"] = nullptr;
  json["high"] = nullptr;
  json["interval_note"] = kNoInterval;
  return json;
}

const char* kind_name(MetricKind kind) {
  switch (kind) {
    case MetricKind::rate: return "rate";
    case MetricKind::max: return "max";
    case MetricKind::total: break;
  }
  return "total";
}

Json metric_json(const MetricProjection& metric, double configuration_coverage) {
  Json json = with_interval({{"kind", kind_name(metric.kind)}, {"value", derived(metric.value)}});
  if (metric.per_epoch) json["per_epoch"] = derived(*metric.per_epoch);
  if (metric.coverage != configuration_coverage) json["coverage"] = derived(metric.coverage);
  return json;
}

Json configuration_json(const ConfigurationProjection& configuration) {
  Json metrics = Json::object(), speedups = Json::object();
  for (const MetricProjection& metric : configuration.metrics)
    metrics[metric.name] = metric_json(metric, configuration.coverage);
  for (const Speedup& speedup : configuration.speedups)
    speedups[speedup.metric] = with_interval({{"value", derived(speedup.value)}});
  Json json{{"name", configuration.name},
            {"coverage", derived(configuration.coverage)},
            {"missing_points", configuration.missing_points},
            {"profile_rows", configuration.rows},
            {"matched_rows", configuration.matched_rows},
            {"metrics", std::move(metrics)}};
  if (const auto& throughput = configuration.throughput)
    json["throughput"] = {{"time", throughput->time_metric},
                          {"samples_per_s", derived(throughput->samples_per_s)},
                          {"tokens_per_s", throughput->tokens_per_s ? derived(*throughput->tokens_per_s) : Json(nullptr)},
                          {"padded_tokens_per_s", derived(throughput->padded_tokens_per_s)}};
  else
    json["throughput"] = nullptr;
  json["speedup"] = std::move(speedups);
  return json;
}

Json percent(double share) { return derived(100 * share); }

Json score_json(const MethodScore& method) {
  Json configurations = Json::object(), speedups = Json::object();
  for (const ConfigurationScore& c : method.configurations) {
    configurations[c.name] = {{"bias_pct", percent(c.total.bias)},
                              {"rms_error_pct", percent(c.total.rms)},
                              {"coverage", nullptr},
                              {"interval_width_pct", nullptr}};
    if (c.speedup)
      speedups[c.name] = {{"bias_pct", percent(c.speedup->bias)},
                          {"rms_error_pct", percent(c.speedup->rms)},
                          {"coverage", nullptr}};
  }
  return {{"name", method.name},
          {"points", method.points},
          {"parameters", parameters_json(method.parameters)},
          {"n_eff", derived(method.n_eff)},
          {"selected_on", method.selected_on.empty() ? Json(nullptr) : Json(method.selected_on)},
          {"configurations", std::move(configurations)},
          {"speedups", std::move(speedups)},
          {"geomean_error_pct", percent(method.geomean_error)},
          {"speedup_geomean_error_pct", method.speedup_geomean_error ? percent(*method.speedup_geomean_error) : Json(nullptr)},
          {"reduction",
           {{"serial", derived(method.reduction.serial)},
            {"parallel", derived(method.reduction.parallel)},
            {"count", derived(method.reduction.count)}}}};
}

}  // namespace

std::string projection_json(const Projection& projection, const Selection& selection, const Provenance& provenance) {
  Json configurations = Json::array();
  for (const auto& configuration : projection.configurations) configurations.push_back(configuration_json(configuration));
  Json json{{"schema", "seqpoint/projection/1"},
            {"baseline", projection.baseline},
            {"confidence", nullptr},
            {"run",
             {{"iterations", selection.run.iterations},
              {"samples", selection.run.samples},
              {"epochs", selection.run.epochs},
              {"points", selection.points.size()}}},
            {"configurations", std::move(configurations)}};
  if (!projection.time_source.empty()) json["time_source"] = projection.time_source;
  if (projection.breakdown) json["breakdown"] = breakdown_json(*projection.breakdown);
  json["provenance"] = provenance_json(provenance);
  return json_text(json);
}

std::string evaluation_json(const Evaluation& evaluation, const Provenance& provenance) {
  Json methods = Json::array();
  for (const MethodScore& method : evaluation.methods) methods.push_back(score_json(method));
  return json_text({{"schema", "seqpoint/evaluation/1"},
                    {"statistic", evaluation.statistic},
                    {"draws", evaluation.draws},
                    {"repeats", evaluation.repeats},
                    {"baseline", evaluation.baseline},
                    {"iterations", evaluation.iterations},
                    {"methods", std::move(methods)},
                    {"provenance", provenance_json(provenance)}});
}

}  // namespace seqpoint
