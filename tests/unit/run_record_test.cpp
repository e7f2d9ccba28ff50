// run.json: what is described is what the schema publishes, and it is read as it was written.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/artifacts/json.hpp"
#include "io/artifacts/run_record.hpp"
#include "io/artifacts/schemas.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// A record of which every key is written.
RunRecord full_record() {
  RunRecord record;
  record.request = {.builds = {{"old", {"python3", "\xff", "--key", "***"}, "0123abcd"}, {"new", {"true"}}},
                    .order = "order.csv",
                    .points = 8,
                    .budget = 24,
                    .max_error = 0.015,
                    .epochs = 3,
                    .signature = "job:lengths",
                    .loader = 2,
                    .batches = 500,
                    .by = project::BreakdownBy::kernel,
                    .no_phases = true};
  record.limit = {0.05, false};
  record.place = {"/data", {{"OMP_NUM_THREADS", "1"}}, {{"HF_HOME", "0123abcd"}}, {{"python3", "/usr/bin/python3"}}};
  const std::string digest = "xxh3-128:00000000000000000000000000000000";
  record.files = {{"order.csv", digest}};
  JobStart start;
  start.build = "old";
  start.verb = "measure";
  start.process = 1;
  start.begun = "2026-01-02T03:04:05Z";
  start.seconds = 12.5;
  start.after_order = true;
  start.ready_s = 2.25;
  start.first_batch_s = 0.5;
  start.mean_batch_s = 0.125;
  start.loader_s = 1.5;
  start.stated = 90;
  start.of_pass = 61;
  start.draws = 0.004;
  start.another_draw = true;
  start.waited_s = 1.5;
  start.in_duet = true;
  start.removed = 3;
  start.staying = {"log.csv"};
  start.batches = 24;
  start.parameters = 1000;
  start.compilations = 2;
  start.python = "3.11.2";
  start.output = "old-1.csv";
  start.log = "old-1.log";
  start.loader = "train.py:12";
  start.counted = "dimension 1";
  start.untouched = {"Comet was disabled"};
  start.kept = {"best.pt"};
  start.changed = {"history.db was changed"};
  start.warnings = {{"the loop ends early", "--batches 60"}};
  start.first_trained = 5;
  start.left_after = 60;
  start.environment = {{"B", "2"}, {"A", "1"}};
  start.machine = process::Machine{2, 0.25, {{"GPU", 1980.0, 600.0, 700.0, {"power cap"}}}, 0};
  start.stretch = project::Stretch{0, 16, 3.5, 3.75, project::Interval{3.25, 4}};
  record.starts = {start};
  record.cost = {.seconds = 100.5, .starts = 4, .orders = 2, .batches = 96};
  record.planned_processes = 5;
  record.way = measuring::Way::epochs;
  record.said = {.about_s = 37.5, .most_s = 51};
  record.looks = {{5, 0.005}};
  record.stopped = "aim";
  return record;
}

/// The paths of all keys of a document; of an array those of its first item.
void add_keys(const Json& value, const std::string& path, std::set<std::string>& keys) {
  if (value.is_array() && !value.empty()) return add_keys(value.front(), path, keys);
  if (!value.is_object()) return;
  for (const auto& [key, part] : value.items()) {
    keys.insert(path + "/" + key);
    add_keys(part, path + "/" + key, keys);
  }
}

/// The same of a schema.
void add_properties(const Json& schema, const Json& root, const std::string& path, std::set<std::string>& keys) {
  if (schema.contains("$ref"))
    return add_properties(root.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))), root, path, keys);
  if (schema.contains("items")) return add_properties(schema["items"], root, path, keys);
  for (const auto& [key, property] : part(schema, "properties").items()) {
    keys.insert(path + "/" + key);
    add_properties(property, root, path + "/" + key, keys);
  }
}

/// Without the keys that files, variables and inputs choose, and without the provenance, which all kinds share.
std::set<std::string> described(std::set<std::string> keys) {
  std::erase_if(keys, [](const std::string& key) {
    return key.starts_with("/variables/") || key.starts_with("/variable_digests/") || key.starts_with("/programs/") ||
           key.starts_with("/files/") || key.starts_with("/starts/environment/") || key.starts_with("/provenance/");
  });
  return keys;
}

RunRecord read(const std::string& text) { return read_run_record(stream::Input::from_memory("run.json", text)); }

TEST(RunRecordJson, HasEveryKeyOfItsSchema) {
  const auto published = std::ranges::find_if(schemas(), [](const Schema& schema) { return schema.kind == "run"; });
  const Json schema = Json::parse(published->text);
  std::set<std::string> keys, properties;
  add_keys(Json::parse(run_record_json(full_record())), "", keys);
  add_properties(schema, schema, "", properties);
  EXPECT_EQ(described(keys), described(properties));
}

TEST(RunRecordJson, IsReadAsItWasWritten) {
  const RunRecord record = full_record();
  const RunRecord again = read(run_record_json(record));
  EXPECT_EQ(again.request, record.request);
  EXPECT_EQ(again.limit.max_regression, 0.05);
  EXPECT_EQ(again.limit.inconclusive_fails, std::optional(false));
  EXPECT_EQ(again.starts.front().environment, record.starts.front().environment);
  EXPECT_EQ(again.starts.front().machine->gpus.front().slowed_by, std::vector<std::string>{"power cap"});
  EXPECT_EQ(again.starts.front().stretch->expected->high, 4);
  EXPECT_EQ(again.cost, record.cost);
  EXPECT_EQ(again.way, measuring::Way::epochs);
  EXPECT_EQ(again.said, (measuring::SaidPrice{.about_s = 37.5, .most_s = 51}));
  EXPECT_EQ(run_record_json(again), run_record_json(record));
}

TEST(RunRecordJson, WhatIsMissingIsEmpty) {
  RunRecord least;
  least.request.builds = {{"one", {"true"}}};
  const RunRecord again = read(run_record_json(least));
  EXPECT_EQ(again.request, least.request);
  EXPECT_EQ(again.request.epochs, 1U);
  EXPECT_FALSE(again.limit.inconclusive_fails.has_value());
  EXPECT_TRUE(again.starts.empty() && again.looks.empty() && again.stopped.empty());
  EXPECT_EQ(again.planned_processes, 0U);
}

TEST(RunRecordJson, NamesThatLeadOutOfTheFolderAreRefused) {
  const Json full = Json::parse(run_record_json(full_record()));
  const auto refuses = [&](const char* pointer, const char* name) {
    Json json = full;
    json[Json::json_pointer(pointer)] = name;
    EXPECT_THROW(read(json.dump()), InputError) << pointer << " " << name;
  };
  for (const char* name : {"../evil", "", "a/b", "-o", "old"}) refuses("/request/builds/1/name", name);
  for (const char* name : {"../evil.csv", "/etc/passwd", "", "..", "."}) {
    refuses("/starts/0/output", name);
    refuses("/starts/0/log", name);
  }
  for (const char* name : {"../evil.csv", "traces/../../evil", "/etc/passwd"}) {
    Json json = full;
    json["files"][name] = full["files"]["order.csv"];
    EXPECT_THROW(read(json.dump()), InputError) << name;
  }
  Json json = full;
  json["files"]["traces/old-1.sp3.json.gz"] = full["files"]["order.csv"];
  EXPECT_NO_THROW(read(json.dump()));
}

TEST(RunRecordJson, WordsMayHaveAnyBytes) {
  RunRecord record;
  record.request.builds = {{"a", {"t.py", "\xff", "\xfe", "", "[1]\n"}}, {"b", {"größe"}}};
  const Json json = Json::parse(run_record_json(record));
  const Json& builds = json["request"]["builds"];
  EXPECT_EQ(builds[0]["command"], Json({"t.py", "\uFFFD", "\uFFFD", "", "[1]\n"}));
  EXPECT_EQ(builds[0]["command_hex"], Json({"742e7079", "ff", "fe", "", "5b315d0a"}));
  EXPECT_FALSE(builds[1].contains("command_hex"));
  EXPECT_EQ(read(json.dump()).request, record.request);
}

TEST(RunRecordJson, BytesThatAreNoneAreRefused) {
  const Json full = Json::parse(run_record_json(full_record()));
  for (const Json& digits : {Json({"74", "f", "", ""}), Json({"74", "fg", "", ""}), Json({"74", "FF", "", ""}),
                             Json({"74", "ff"}), Json::array(), Json({1, 2, 3, 4}), Json("74")}) {
    Json json = full;
    json["request"]["builds"][0]["command_hex"] = digits;
    EXPECT_THROW(read(json.dump()), InputError) << digits;
  }
}

TEST(RunRecordJson, OneEndIsNoInterval) {
  Json json = Json::parse(run_record_json(full_record()));
  json["starts"][0]["stretch"].erase("high_s");
  EXPECT_FALSE(read(json.dump()).starts.front().stretch->expected.has_value());
}

}  // namespace
}  // namespace seqpoint::io::artifacts
