#include "io/artifacts/json.hpp"

#include <limits>

namespace seqpoint::io::artifacts {
namespace {

Json check_json(const project::Check& check, bool inconclusive_fails) {
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
  }
  json["verdict"] = project::name_of(check.verdict);
  json["passed"] = project::passes(check, inconclusive_fails);
  if (!check.note.empty()) json["note"] = check.note;
  if (check.detectable) json["detectable"] = rounded_json(*check.detectable);
  if (check.more_measurements) json["more_measurements"] = *check.more_measurements;
  if (check.more_processes) json["more_processes"] = *check.more_processes;
  return json;
}

/// An end without bound is null.
std::optional<project::Interval> interval_of(const Json& json, const char* lower, const char* upper) {
  const auto low = given<double>(json, lower), high = given<double>(json, upper);
  if (!low && !high) return std::nullopt;
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  return project::Interval{low.value_or(-kNoBound), high.value_or(kNoBound)};
}

project::Check check_of(const Json& json) {
  return {*value_of(project::kGates, json["gate"].get<std::string>()),
          json["subject"],
          json["configuration"],
          json.value("metric", ""),
          json.value("reference", ""),
          json["limit"],
          given<double>(json, "value"),
          interval_of(json, "low", "high"),
          interval_of(json, "at_least", "at_most"),
          *value_of(project::kVerdicts, json["verdict"].get<std::string>()),
          json.value("note", ""),
          given<double>(json, "detectable"),
          given<std::uint64_t>(json, "more_measurements"),
          given<std::uint64_t>(json, "more_processes")};
}

}  // namespace

void add_gates(Json& json, const project::Gates& gates) {
  if (gates.checks.empty()) return;
  Json list = Json::array();
  for (const project::Check& check : gates.checks) list.push_back(check_json(check, gates.inconclusive_fails));
  json["gates"] = std::move(list);
}

project::Gates read_gates(const JsonReader& reader) {
  using project::Verdict;
  project::Gates gates;
  const Json& list = part(reader.root(), "gates");
  for (const Json& json : list) {
    const project::Check& check = gates.checks.emplace_back(check_of(json));
    // Whether one failed for being undecided alone.
    gates.inconclusive_fails |= json["passed"] == false && project::passes(check, false);
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const project::Check& check = gates.checks[i];
    const std::string path = "gates[" + std::to_string(i) + "].";
    // Only a regression can be without a figure: of what could not be compared.
    const bool decided = check.verdict == Verdict::pass || check.verdict == Verdict::inconclusive;
    if (!check.value && (decided || check.gate != project::Gate::max_regression))
      reader.fail(path + "value", decided ? "is missing, but the verdict is of one" : "is missing");
    if (list[i]["passed"] != project::passes(check, gates.inconclusive_fails))
      reader.fail(path + "passed", "is " + list[i]["passed"].dump() + ", but the verdict is \"" +
                                       std::string(project::name_of(check.verdict)) + "\"");
  }
  return gates;
}

}  // namespace seqpoint::io::artifacts
