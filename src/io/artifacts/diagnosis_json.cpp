// The JSON of a diagnosis.

#include "io/artifacts/result_parts.hpp"
#include "io/views/diagnosis_text.hpp"

namespace seqpoint::io::artifacts {
namespace {

Json number_or_null(const std::optional<double>& value) { return value ? rounded_json(*value) : Json(nullptr); }

/// The shares of an interval's variance, by cause and by point, and the noise behind them.
Json width_json(const diagnose::Width& width) {
  Json points = Json::array();
  for (const diagnose::PointPart& point : width.points)
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

const char* name_of(diagnose::NextStep::What what) {
  switch (what) {
    case diagnose::NextStep::What::missing_points: return "missing-points";
    case diagnose::NextStep::What::more_points: return "more-points";
    case diagnose::NextStep::What::more_processes: break;
  }
  return "more-processes";
}

/// The next step. Zero numbers and a missing interval are left out.
Json next_json(const diagnose::NextStep& next) {
  Json measure = Json::object();
  for (const auto& [id, more] : next.measure) measure[id] = more;
  Json json{{"what", name_of(next.what)}, {"measure", std::move(measure)}};
  if (next.points > 0) json["points"] = next.points;
  if (next.processes > 0) json["processes"] = next.processes;
  if (next.expected) json["low"] = rounded_json(next.expected->low);
  if (next.expected) json["high"] = rounded_json(next.expected->high);
  return json;
}

Json series_json(const diagnose::Series& series) {
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

Json explanation_json(const diagnose::Diagnosis& diagnosis) {
  Json series = Json::array();
  for (const diagnose::Series& one : diagnosis.series) series.push_back(series_json(one));
  return {{"times", std::move(series)}};
}

}  // namespace seqpoint::io::artifacts
