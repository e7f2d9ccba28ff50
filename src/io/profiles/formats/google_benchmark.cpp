// Google Benchmark's JSON (google/benchmark, src/json_reporter.cc, docs/user_guide.md): times are those of one
// iteration of the benchmark's loop, in the row's own unit.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "io/json/document.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/engine/metric_columns.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

namespace json = io::json;
using io::json::Json;

constexpr auto kGoogleBenchmarkHint = "give what --benchmark_out=FILE --benchmark_out_format=json wrote";

bool is_google_benchmark(const ProfileProbe& probe) {
  return probe.head.find("\"benchmarks\"") != std::string_view::npos &&
         probe.head.find('{') != std::string_view::npos &&
         (probe.head.find("\"time_unit\"") != std::string_view::npos ||
          probe.head.find("\"library_build_type\"") != std::string_view::npos ||
          probe.head.find("\"run_type\"") != std::string_view::npos);
}

/// The reporter writes NaN and infinity as bare words: outside strings they become null.
std::string nonfinite_as_null(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text[at] == '"' ? std::min(json::end_of_string(text, at), text.size()) : at + 1;
    std::string_view copied = text.substr(at, end - at);
    for (const std::string_view bare : {"-Infinity", "Infinity", "NaN", "-inf", "inf", "-nan", "nan"})
      if (copied.size() == 1 && text.substr(at).starts_with(bare)) {
        copied = "null";
        end = at + bare.size();
      }
    out += copied;
    at = end;
  }
  return out;
}

/// Which statistic of repetitions a row is: "", "median", "mean", or another.
std::string aggregate_of(const Json& row, const std::string& name) {
  const std::string type = json::text_at(row, "run_type");
  if (type == "iteration") return {};
  if (std::string aggregate = json::text_at(row, "aggregate_name"); !aggregate.empty()) return aggregate;
  for (const char* const suffix : {"mean", "median", "stddev", "cv"})
    if (name.ends_with(std::string("_") + suffix)) return suffix;
  return type == "aggregate" ? "other" : "";
}

bool is_complexity_fit(const Json& row, const std::string& name) {
  return row.contains("big_o") || row.contains("rms") || name.ends_with("_BigO") || name.ends_with("_RMS");
}

/// The benchmark's name without the statistic's.
std::string run_name(const Json& row, const std::string& name, const std::string& aggregate) {
  if (std::string run = json::text_at(row, "run_name"); !run.empty()) return run;
  return !aggregate.empty() && name.ends_with("_" + aggregate) ? name.substr(0, name.size() - aggregate.size() - 1)
                                                               : name;
}

/// `BM_step/42/repeats:5`: the first argument is the length, unless the name says more.
void identify_by_argument(profile::StepIdentity& identity, std::string_view name) {
  if (identity = profile::identity_in_name(name); !identity.empty()) return;
  for (std::size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    const std::string_view argument = name.substr(slash + 1, name.find('/', slash + 1) - slash - 1);
    if (!argument.empty() && argument.find_first_not_of("0123456789") == std::string_view::npos) {
      profile::set_field(identity, "src_len", argument);
      return;
    }
  }
}

bool is_own_key(std::string_view key) {
  constexpr std::array<std::string_view, 14> kKeys{"family_index",
                                                   "per_family_instance_index",
                                                   "repetitions",
                                                   "repetition_index",
                                                   "threads",
                                                   "iterations",
                                                   "real_time",
                                                   "cpu_time",
                                                   "bytes_per_second",
                                                   "items_per_second",
                                                   "cpu_coefficient",
                                                   "real_coefficient",
                                                   "rms",
                                                   "allocs_per_iter"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

class BenchmarkReader {
 public:
  explicit BenchmarkReader(ProfileInput& input) : input_(input), metrics_(profile_) {
    profile_.source = input.name();
    profile_.format = kGoogleBenchmark.name;
  }

  profile::StepProfile read() {
    const std::string& text = input_.text();
    const auto brace = text.find('{');
    const Json document = json::parse_document(
        input_.name(), nonfinite_as_null(std::string_view(text).substr(std::min(brace, text.size()))),
        kGoogleBenchmarkHint);
    for (const Json& row : json::array_at(document, "benchmarks", input_.name(), kGoogleBenchmarkHint))
      if (row.is_object()) add_row(row);
    for (auto& [name, step] : medians_) add_aggregate(name, std::move(step));
    for (auto& [name, step] : means_) add_aggregate(name, std::move(step));
    metrics_.finish();
    note(document);
    return std::move(profile_);
  }

 private:
  void add_row(const Json& row) {
    const std::string name = json::text_at(row, "name"), aggregate = aggregate_of(row, name);
    if (is_complexity_fit(row, name) || json::text_at(row, "aggregate_unit") == "percentage") return;
    const std::string unit = json::text_at(row, "time_unit");
    const auto time = json::number_at(row, "real_time");
    const auto known_unit = text::decimal_unit(unit.empty() ? "ns" : unit);
    const auto ns = time && known_unit ? text::duration_of(*time, *known_unit) : std::nullopt;
    if (json::true_at(row, "error_occurred") || json::true_at(row, "skipped") || !time) return void(++skipped_);
    if (!ns)
      throw InputError({input_.name(), 0, fmt::format("benchmarks '{}'", name)},
                       fmt::format("has no time that a step can take: {} {}", row["real_time"].dump(), unit),
                       kGoogleBenchmarkHint);
    profile::ProfiledStep step = step_of(row, run_name(row, name, aggregate), *ns);
    if (aggregate.empty()) {
      measured_.emplace(step.key, true);
      profile_.steps.push_back(std::move(step));
    } else if (aggregate == "median" || aggregate == "mean") {
      step.repeats = json::count_at(row, "iterations");
      (aggregate == "median" ? medians_ : means_).emplace(step.key, std::move(step));
    }
  }

  profile::ProfiledStep step_of(const Json& row, const std::string& name, std::int64_t ns) {
    profile::ProfiledStep step;
    step.key = name;
    step.host_ns = ns;
    identify_by_argument(step.identity, name);
    for (const auto& [key, value] : row.items())
      if (value.is_number() && !is_own_key(key)) metrics_.set(step, key, value.get<double>());
    return step;
  }

  /// Only where the repetitions themselves are not there.
  void add_aggregate(const std::string& name, profile::ProfiledStep step) {
    if (measured_.emplace(name, true).second) profile_.steps.push_back(std::move(step));
  }

  void note(const Json& document) {
    if (skipped_ > 0)
      profile_.notes.push_back(
          fmt::format("{}: {} failed, skipped or without a time", input_.name(), counted(skipped_, "row")));
    const auto context = document.find("context");
    if (context == document.end() || !context->is_object()) return;
    if (json::text_at(*context, "library_build_type") == "debug")
      profile_.notes.push_back(input_.name() + ": measured with a debug build of the benchmark library");
    if (json::true_at(*context, "cpu_scaling_enabled"))
      profile_.notes.push_back(input_.name() + ": measured while the CPU's frequency could change");
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  engine::MetricColumns metrics_;
  std::map<std::string, profile::ProfiledStep> medians_, means_;
  std::map<std::string, bool> measured_;
  std::uint64_t skipped_ = 0;
};

profile::StepProfile read_google_benchmark(ProfileInput& input) { return BenchmarkReader(input).read(); }

}  // namespace

const ProfileReader kGoogleBenchmark{
    .name = "google-benchmark",
    .summary = "Google Benchmark's JSON; the first argument is the sequence length unless the name says more",
    .example = R"({"benchmarks":[{"name":"BM_step/42","real_time":171.0,"time_unit":"ms",...)",
    .recognises = is_google_benchmark,
    .read = read_google_benchmark,
};

}  // namespace seqpoint::io::profiles::formats
