#include "io/artifacts/result_parts.hpp"
#include "io/views/diagnosis_text.hpp"

namespace seqpoint::io::artifacts {
namespace {

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

Json explanation_json(const findings::Diagnosis& diagnosis) {
  Json series = Json::array();
  for (const findings::Series& one : diagnosis.series) series.push_back(series_json(one));
  return {{"times", std::move(series)}};
}

// --- gates

namespace {

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

}  // namespace

void add_gates(Json& json, const project::Gates& gates) {
  if (gates.checks.empty()) return;
  Json list = Json::array();
  const double confidence = json.value("confidence", 0.95);
  for (const project::Check& check : gates.checks)
    list.push_back(check_json(check, gates.inconclusive_fails, confidence));
  json["gates"] = std::move(list);
}

}  // namespace seqpoint::io::artifacts
