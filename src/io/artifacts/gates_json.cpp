#include "io/artifacts/result_parts.hpp"

namespace seqpoint::io::artifacts {
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
