// seqpoint/profile/2: the result of an inspection.
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/artifacts/json.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles {
namespace {

artifacts::Json or_null(const auto& value) { return value ? artifacts::Json(*value) : artifacts::Json(nullptr); }

artifacts::Json operations_json(const std::vector<profile::Operation>& operations) {
  artifacts::Json json = artifacts::Json::array();
  for (const profile::Operation& operation : operations)
    json.push_back({{"name", operation.name}, {"count", operation.count}, {"ns", operation.ns}});
  return json;
}

/// Adds the known parts of an identity.
void add_identity(artifacts::Json& json, const profile::StepIdentity& identity) {
  if (!identity.point.empty()) json["point"] = identity.point;
  artifacts::add_key(json, identity.key);
  if (identity.iteration) json["iteration"] = *identity.iteration;
}

void add_metrics(artifacts::Json& json, const profile::StepProfile& profile, const profile::ProfiledStep& step) {
  if (profile.metrics.empty()) return;
  artifacts::Json metrics = artifacts::Json::object();
  auto& members = metrics.get_ref<artifacts::Json::object_t&>();
  for (std::size_t m = 0; m < profile.metrics.size(); ++m)  // names differ: operator[] would look through all of them
    members.emplace_back(profile.metrics[m], artifacts::rounded_json(step.values[m]));
  json["metrics"] = std::move(metrics);
}

/// `several`: the step names its file.
artifacts::Json step_json(const profile::StepProfile& profile, const profile::ProfiledStep& step, bool several) {
  artifacts::Json json{{"key", step.key},
                       {"host_ns", or_null(step.host_ns)},
                       {"gpu_ops", or_null(step.gpu_ops)},
                       {"gpu_sum_ns", or_null(step.gpu_sum_ns)},
                       {"gpu_busy_ns", or_null(step.gpu_busy_ns)},
                       {"gpu_span_ns", or_null(step.gpu_span_ns)},
                       {"weak_gpu_ops", step.weak_gpu_ops},
                       {"weak_gpu_sum_ns", step.weak_gpu_sum_ns},
                       {"warmup", step.warmup},
                       {"stub", step.stub},
                       {"repeats", step.repeats}};
  if (several) json["source"] = profile.source;
  add_identity(json, step.identity);
  if (!step.labels.empty()) json["labels"] = step.labels;
  add_metrics(json, profile, step);
  if (!step.kernels.empty()) json["kernels"] = operations_json(step.kernels);
  if (!step.operators.empty()) json["operators"] = operations_json(step.operators);
  return json;
}

/// The format of all profiles; "mixed" if they differ.
std::string format_of(std::span<const StepProfileFile> files) {
  for (const StepProfileFile& file : files)
    if (file.profile.format != files.front().profile.format) return "mixed";
  return files.front().profile.format;
}

}  // namespace

std::string inspection_json(std::span<const StepProfileFile> files, const artifacts::Provenance& provenance) {
  artifacts::Json facts = artifacts::Json::object();
  std::uint64_t unattributed = 0;
  for (const StepProfileFile& file : files) {
    unattributed += file.profile.unattributed_gpu_ops;
    for (const auto& [name, value] : file.profile.facts) facts[name] = facts.value(name, std::int64_t{0}) + value;
  }
  const artifacts::Json json{{"schema", artifacts::schema_name("profile")},
                             {"format", format_of(files)},
                             {"steps", artifacts::Json::array()},
                             {"unattributed_gpu_ops", unattributed},
                             {"facts", std::move(facts)},
                             {"provenance", artifacts::provenance_json(provenance)}};
  return artifacts::json_text(json, "steps", [&](const auto& use) {
    for_each_step(files, [&](const profile::StepProfile& profile, const profile::ProfiledStep& step) {
      use(step_json(profile, step, files.size() > 1));
    });
  });
}

}  // namespace seqpoint::io::profiles
