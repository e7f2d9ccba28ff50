// pytest-benchmark's JSON (ionelmc/pytest-benchmark, src/pytest_benchmark/stats.py): seconds.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "io/json/document.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/engine/benchmark_parameters.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

namespace json = io::json;
using io::json::Json;

constexpr auto kPytestBenchmarkHint =
    "give what pytest --benchmark-json wrote; with --benchmark-save-data it has every round";

bool is_pytest_benchmark(const ProfileProbe& probe) {
  return json::first_value(probe.head).starts_with('{') &&
         probe.head.find("\"benchmarks\"") != std::string_view::npos &&
         (probe.head.find("\"stats\"") != std::string_view::npos ||
          probe.head.find("\"machine_info\"") != std::string_view::npos);
}

/// `test_step[42]`: a single number in brackets is the length.
void identify_by_bracket(profile::StepIdentity& identity, std::string_view name) {
  if (identity = profile::identity_in_name(name); !identity.empty() || !name.ends_with(']')) return;
  const auto open = name.rfind('[');
  if (open != std::string_view::npos)
    profile::set_field(identity, "src_len", name.substr(open + 1, name.size() - open - 2));
}

void add_pytest_benchmark(const Json& benchmark, const std::string& source, profile::StepProfile& profile) {
  profile::ProfiledStep step;
  step.key = json::text_at(benchmark, "name");
  if (const auto params = benchmark.find("params"); params != benchmark.end())
    engine::identify_by_parameters(step.identity, *params);
  if (step.identity.empty()) identify_by_bracket(step.identity, step.key);
  const auto stats = benchmark.find("stats");
  const auto add = [&](const Json& seconds, const char* field) {
    if (seconds.is_number()) step.host_ns = text::duration_of(seconds.get<double>(), text::DecimalUnit::s);
    if (!step.host_ns)
      throw InputError({source, 0, fmt::format("benchmarks '{}'.{}", step.key, field)}, "is not a time in seconds",
                       kPytestBenchmarkHint);
    profile.steps.push_back(step);
    step.host_ns.reset();
  };
  if (stats == benchmark.end() || !stats->is_object())
    throw InputError({source, 0, fmt::format("benchmarks '{}'.stats", step.key)}, "is missing", kPytestBenchmarkHint);
  const auto data = stats->find("data");
  if (data != stats->end() && data->is_array() && !data->empty()) {
    for (const Json& round : *data) add(round, "stats.data");
    return;
  }
  step.repeats = json::count_at(*stats, "rounds");
  add(stats->value("mean", Json()), "stats.mean");
}

profile::StepProfile read_pytest_benchmark(ProfileInput& input) {
  profile::StepProfile profile;
  profile.source = input.name();
  profile.format = kPytestBenchmark.name;
  const Json document = json::parse_document(input.name(), input.text(), kPytestBenchmarkHint);
  for (const Json& benchmark : json::array_at(document, "benchmarks", input.name(), kPytestBenchmarkHint))
    if (benchmark.is_object()) add_pytest_benchmark(benchmark, input.name(), profile);
  return profile;
}

}  // namespace

const ProfileReader kPytestBenchmark{
    .name = "pytest-benchmark",
    .summary = "pytest-benchmark's JSON: every round with --benchmark-save-data, else the mean; params say of what",
    .example = R"({"benchmarks":[{"name":"test_step[42]","params":{"seqlen":42},"stats":{"mean":0.171,...)",
    .recognises = is_pytest_benchmark,
    .read = read_pytest_benchmark,
};

}  // namespace seqpoint::io::profiles::formats
