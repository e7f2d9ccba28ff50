#include "io/artifacts/run_record.hpp"

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {
namespace {

Json json_of(const JobStart& start) {
  Json json{{"build", start.build}, {"verb", start.verb}};
  if (start.process > 0) json["process"] = start.process;
  json.update({{"begun", start.begun},
               {"seconds", rounded_json(start.seconds)},
               {"batches", start.batches},
               {"python", start.python},
               {"output", start.output},
               {"log", start.log},
               {"environment", Json::object()}});
  for (const auto& [name, value] : start.environment) json["environment"][name] = value;
  return json;
}

JobStart start_of(const Json& json) {
  JobStart start{.build = json["build"],
                 .verb = json["verb"],
                 .process = given<std::uint64_t>(json, "process").value_or(0),
                 .begun = json["begun"],
                 .seconds = json["seconds"],
                 .batches = json["batches"],
                 .python = json["python"],
                 .output = json["output"],
                 .log = json["log"],
                 .environment = {}};
  for (const auto& [name, value] : json["environment"].items()) start.environment.emplace_back(name, value);
  return start;
}

Json json_of(const JobRequest& request, const RegressionLimit& limit) {
  Json json{{"builds", Json::array()}};
  for (const Build& build : request.builds) json["builds"].push_back({{"name", build.name}, {"command", build.words}});
  if (!request.order.empty()) json["order"] = request.order;
  if (request.points) json["points"] = *request.points;
  if (request.budget) json["budget"] = *request.budget;
  if (request.max_error) json["max_error"] = *request.max_error;
  if (limit.max_regression) json["max_regression"] = *limit.max_regression;
  if (limit.inconclusive_fails) json["inconclusive_fails"] = *limit.inconclusive_fails;
  return json;
}

JobRequest request_of(const Json& json) {
  JobRequest request{.builds = {}, .order = given<std::string>(json, "order").value_or("")};
  for (const Json& build : json["builds"]) request.builds.push_back({build["name"], build["command"]});
  request.points = given<std::uint64_t>(json, "points");
  request.budget = given<std::uint64_t>(json, "budget");
  request.max_error = given<double>(json, "max_error");
  return request;
}

}  // namespace

std::string run_record_json(const RunRecord& record) {
  Json json{{"schema", schema_name("run")}, {"request", json_of(record.request, record.limit)}};
  json["starts"] = Json::array();
  for (const JobStart& start : record.starts) json["starts"].push_back(json_of(start));
  if (record.planned_processes > 0) json["planned_processes"] = record.planned_processes;
  if (!record.stopped.empty()) json["stopped"] = record.stopped;
  json["provenance"] = provenance_json({});
  return json_text(json);
}

RunRecord read_run_record(stream::Input input) {
  const std::string source = input.name();
  const JsonReader reader(source, input.read_all(), "run");
  reader.require_schema("run");
  RunRecord record;
  const Json& request = reader.root()["request"];
  record.request = request_of(request);
  record.limit = {given<double>(request, "max_regression"), given<bool>(request, "inconclusive_fails")};
  for (const Json& start : reader.root()["starts"]) record.starts.push_back(start_of(start));
  record.planned_processes = given<std::uint64_t>(reader.root(), "planned_processes").value_or(0);
  record.stopped = given<std::string>(reader.root(), "stopped").value_or("");
  return record;
}

}  // namespace seqpoint::io::artifacts
