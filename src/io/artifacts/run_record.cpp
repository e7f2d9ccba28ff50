#include "io/artifacts/run_record.hpp"

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {
namespace {

Json json_of(const process::Machine& machine) {
  Json json{{"cores", machine.cores}, {"gpus", Json::array()}};
  if (machine.load) json["load"] = *machine.load;
  for (const process::Gpu& gpu : machine.gpus) {
    Json of_gpu{{"name", gpu.name}, {"slowed_by", gpu.slowed_by}};
    if (gpu.clock_mhz) of_gpu["clock_mhz"] = *gpu.clock_mhz;
    if (gpu.power_limit_w) of_gpu["power_limit_w"] = *gpu.power_limit_w;
    json["gpus"].push_back(std::move(of_gpu));
  }
  if (!machine.gpus.empty()) json["programs_on_gpus"] = machine.programs_on_gpus;
  return json;
}

process::Machine machine_of(const Json& json) {
  process::Machine machine;
  machine.cores = json["cores"];
  machine.load = given<double>(json, "load");
  machine.programs_on_gpus = given<std::uint64_t>(json, "programs_on_gpus").value_or(0);
  for (const Json& gpu : json["gpus"])
    machine.gpus.push_back({.name = gpu["name"],
                            .clock_mhz = given<double>(gpu, "clock_mhz"),
                            .power_limit_w = given<double>(gpu, "power_limit_w"),
                            .default_power_limit_w = {},
                            .slowed_by = gpu["slowed_by"]});
  return machine;
}

Json json_of(const seqpoint::run::Stretch& stretch) {
  Json json{{"batches", stretch.batches},
            {"predicted_s", rounded_json(stretch.predicted_s)},
            {"took_s", rounded_json(stretch.took_s)}};
  if (stretch.expected)
    json.update({{"low_s", rounded_json(stretch.expected->low)}, {"high_s", rounded_json(stretch.expected->high)}});
  return json;
}

seqpoint::run::Stretch stretch_of(const Json& json) {
  seqpoint::run::Stretch stretch{
      .batches = json["batches"], .predicted_s = json["predicted_s"], .took_s = json["took_s"]};
  if (const auto low = given<double>(json, "low_s")) stretch.expected = project::Interval{*low, json["high_s"]};
  return stretch;
}

Json json_of(const JobStart& start) {
  Json json{{"build", start.build}, {"verb", start.verb}};
  if (start.process > 0) json["process"] = start.process;
  json.update({{"begun", start.begun},
               {"seconds", rounded_json(start.seconds)},
               {"batches", start.batches},
               {"python", start.python},
               {"output", start.output},
               {"log", start.log}});
  if (start.ready_s > 0) json["ready_s"] = rounded_json(start.ready_s);
  if (start.first_batch_s > 0) json["first_batch_s"] = rounded_json(start.first_batch_s);
  if (start.parameters > 0) json["parameters"] = start.parameters;
  if (start.compilations > 0) json["compilations"] = start.compilations;
  if (!start.loader.empty()) json["loader"] = start.loader;
  if (!start.counted.empty()) json["counted"] = start.counted;
  if (!start.untouched.empty()) json["untouched"] = start.untouched;
  json["environment"] = Json::object();
  for (const auto& [name, value] : start.environment) json["environment"][name] = value;
  if (start.machine) json["machine"] = json_of(*start.machine);
  if (start.stretch) json["stretch"] = json_of(*start.stretch);
  return json;
}

JobStart start_of(const Json& json) {
  JobStart start{.build = json["build"],
                 .verb = json["verb"],
                 .process = given<std::uint64_t>(json, "process").value_or(0),
                 .begun = json["begun"],
                 .seconds = json["seconds"],
                 .ready_s = given<double>(json, "ready_s").value_or(0),
                 .first_batch_s = given<double>(json, "first_batch_s").value_or(0),
                 .batches = json["batches"],
                 .parameters = given<std::uint64_t>(json, "parameters").value_or(0),
                 .compilations = given<std::uint64_t>(json, "compilations").value_or(0),
                 .python = json["python"],
                 .output = json["output"],
                 .log = json["log"],
                 .loader = given<std::string>(json, "loader").value_or(""),
                 .counted = given<std::string>(json, "counted").value_or(""),
                 .untouched = given<std::vector<std::string>>(json, "untouched").value_or(std::vector<std::string>{}),
                 .environment = {}};
  for (const auto& [name, value] : json["environment"].items()) start.environment.emplace_back(name, value);
  if (json.contains("machine")) start.machine = machine_of(json["machine"]);
  if (json.contains("stretch")) start.stretch = stretch_of(json["stretch"]);
  return start;
}

Json json_of(const JobRequest& request, const RegressionLimit& limit) {
  Json json{{"builds", Json::array()}};
  for (const Build& build : request.builds) json["builds"].push_back({{"name", build.name}, {"command", build.words}});
  if (!request.order.empty()) json["order"] = request.order;
  if (request.points) json["points"] = *request.points;
  if (request.budget) json["budget"] = *request.budget;
  if (request.max_error) json["max_error"] = *request.max_error;
  if (request.epochs > 1) json["epochs"] = request.epochs;
  if (!request.signature.empty()) json["signature"] = request.signature;
  if (request.loader) json["loader"] = *request.loader;
  if (request.batches) json["batches"] = *request.batches;
  if (request.by) json["by"] = project::name_of(*request.by);
  if (request.no_phases) json["no_phases"] = true;
  if (request.keep_checkpoints) json["keep_checkpoints"] = true;
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
  request.epochs = given<std::uint64_t>(json, "epochs").value_or(1);
  request.signature = given<std::string>(json, "signature").value_or("");
  request.loader = given<std::uint64_t>(json, "loader");
  request.batches = given<std::uint64_t>(json, "batches");
  if (json.contains("by")) request.by = value_of(project::kBreakdowns, json["by"].get<std::string>());
  request.no_phases = given<bool>(json, "no_phases").value_or(false);
  request.keep_checkpoints = given<bool>(json, "keep_checkpoints").value_or(false);
  return request;
}

}  // namespace

std::string as_stored(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string run_record_json(const RunRecord& record) {
  Json json{{"schema", schema_name("run")},
            {"request", json_of(record.request, record.limit)},
            {"folder", record.place.folder},
            {"variables", record.place.variables},
            {"programs", record.place.programs}};
  json["starts"] = Json::array();
  for (const JobStart& start : record.starts) json["starts"].push_back(json_of(start));
  json["files"] = record.files;
  if (record.planned_processes > 0) json["planned_processes"] = record.planned_processes;
  for (const seqpoint::run::Look& look : record.looks)
    json["looks"].push_back({{"processes", look.processes}, {"alpha", rounded_json(look.alpha)}});
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
  const auto texts = [&](const char* key) { return reader.root()[key].get<std::map<std::string, std::string>>(); };
  record.place = {reader.root()["folder"], texts("variables"), texts("programs")};
  record.files = texts("files");
  for (const Json& start : reader.root()["starts"]) record.starts.push_back(start_of(start));
  record.planned_processes = given<std::uint64_t>(reader.root(), "planned_processes").value_or(0);
  if (const auto looks = reader.root().find("looks"); looks != reader.root().end())
    for (const Json& look : *looks) record.looks.push_back({look["processes"], look["alpha"]});
  record.stopped = given<std::string>(reader.root(), "stopped").value_or("");
  return record;
}

}  // namespace seqpoint::io::artifacts
