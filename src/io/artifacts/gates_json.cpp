#include "io/artifacts/json.hpp"

#include <limits>
#include <nlohmann/json.hpp>

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
  json["verdict"] = project::name_of(check.verdict);
  json["passed"] = project::passes(check, inconclusive_fails);
  if (!check.note.empty()) json["note"] = check.note;
  if (check.detectable) json["detectable"] = rounded_json(*check.detectable);
  if (check.more_measurements) json["more_measurements"] = *check.more_measurements;
  if (check.more_processes) json["more_processes"] = *check.more_processes;
  return json;
}

class CheckReader {
 public:
  CheckReader(const JsonReader& reader, const Json& json, std::string path)
      : reader_(reader), json_(json), path_(std::move(path)) {}

  project::Check read() const {
    project::Check check{gate(),
                         text("subject"),
                         text("configuration"),
                         optional_text("metric"),
                         optional_text("reference"),
                         reader_.number(json_, "limit", path_),
                         optional_number("value"),
                         interval(),
                         verdict(),
                         optional_text("note"),
                         optional_number("detectable"),
                         reader_.optional_integer(json_, "more_measurements", path_),
                         reader_.optional_integer(json_, "more_processes", path_)};
    // Only a regression can be without a figure: of what could not be compared.
    if (!check.value && check.gate != project::Gate::max_regression) reader_.fail(path_ + "value", "is missing");
    return check;
  }
  /// Whether it failed for being undecided alone.
  bool failed_undecided(const project::Check& check) const {
    const auto passed = json_.find("passed");
    return passed != json_.end() && *passed == false && project::passes(check, false);
  }

 private:
  std::string text(const char* key) const { return reader_.text(json_, key, path_); }
  std::string optional_text(const char* key) const { return json_.contains(key) ? text(key) : ""; }
  std::optional<double> optional_number(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) return std::nullopt;
    return reader_.number(json_, key, path_);
  }

  project::Gate gate() const {
    const std::string name = text("gate");
    if (const auto gate = value_of(project::kGates, name)) return *gate;
    reader_.fail(path_ + "gate", "is \"" + name + "\", which is no gate");
  }

  project::Verdict verdict() const {
    const std::string name = text("verdict");
    if (const auto verdict = value_of(project::kVerdicts, name)) return *verdict;
    reader_.fail(path_ + "verdict", "is \"" + name + "\", which is no verdict");
  }

  /// An end without bound is null.
  std::optional<project::Interval> interval() const {
    const std::optional<double> low = optional_number("low"), high = optional_number("high");
    if (!low && !high) return std::nullopt;
    constexpr double kNoBound = std::numeric_limits<double>::infinity();
    return project::Interval{low.value_or(-kNoBound), high.value_or(kNoBound)};
  }

  const JsonReader& reader_;
  const Json& json_;
  const std::string path_;
};

}  // namespace

void add_gates(Json& json, const project::Gates& gates) {
  if (gates.checks.empty()) return;
  Json list = Json::array();
  for (const project::Check& check : gates.checks) list.push_back(check_json(check, gates.inconclusive_fails));
  json["gates"] = std::move(list);
}

project::Gates read_gates(const JsonReader& reader) {
  project::Gates gates;
  if (!reader.root().contains("gates")) return gates;
  const Json& list = reader.array(reader.root(), "gates", "");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = "gates[" + std::to_string(i) + "].";
    if (!list[i].is_object()) reader.fail(path, "is not an object");
    const CheckReader one(reader, list[i], path);
    gates.checks.push_back(one.read());
    gates.inconclusive_fails = gates.inconclusive_fails || one.failed_undecided(gates.checks.back());
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const project::Verdict verdict = gates.checks[i].verdict;
    if (!gates.checks[i].value && (verdict == project::Verdict::holds || verdict == project::Verdict::inconclusive))
      reader.fail("gates[" + std::to_string(i) + "].value", "is missing, but the verdict is of one");
    const bool passes = project::passes(gates.checks[i], gates.inconclusive_fails);
    if (list[i].contains("passed") && list[i]["passed"] != passes)
      reader.fail(
          "gates[" + std::to_string(i) + "].passed",
          "is " + list[i]["passed"].dump() + ", but the verdict is \"" + std::string(project::name_of(verdict)) + "\"");
  }
  return gates;
}

}  // namespace seqpoint::io::artifacts
