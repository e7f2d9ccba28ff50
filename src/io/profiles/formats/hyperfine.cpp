// hyperfine --export-json (sharkdp/hyperfine, src/benchmark/benchmark_result.rs): seconds, whatever --time-unit was.
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

constexpr auto kHyperfineHint = "give what hyperfine --export-json wrote";

bool is_hyperfine(const ProfileProbe& probe) {
  return json::first_value(probe.head).starts_with('{') && probe.head.find("\"results\"") != std::string_view::npos &&
         probe.head.find("\"command\"") != std::string_view::npos &&
         probe.head.find("\"mean\"") != std::string_view::npos;
}

class HyperfineReader {
 public:
  explicit HyperfineReader(ProfileInput& input) : input_(input) {
    profile_.source = input.name();
    profile_.format = kHyperfine.name;
  }

  profile::StepProfile read() {
    const Json document = json::parse_document(input_.name(), input_.text(), kHyperfineHint);
    for (const Json& result : json::array_at(document, "results", input_.name(), kHyperfineHint))
      if (result.is_object()) add_result(result);
    if (failed_ > 0)
      profile_.notes.push_back(fmt::format("{}: {} failed (exit code other than 0) and are left out", input_.name(),
                                           counted(failed_, "run")));
    return std::move(profile_);
  }

 private:
  void add_result(const Json& result) {
    profile::ProfiledStep step;
    step.key = json::text_at(result, "command");
    if (const auto found = result.find("parameters"); found != result.end())
      engine::identify_by_parameters(step.identity, *found);
    if (step.identity.empty()) step.identity = profile::identity_in_name(step.key);
    const auto times = result.find("times");
    if (times == result.end() || !times->is_array() || times->empty())
      return add(step, result.value("mean", Json()), "mean");
    const auto codes = result.find("exit_codes");
    for (std::size_t i = 0; i < times->size(); ++i) {
      // A run that a signal ended has null.
      const bool known = codes != result.end() && codes->is_array() && i < codes->size();
      if (known && (*codes)[i] != 0)
        ++failed_;
      else
        add(step, (*times)[i], fmt::format("times[{}]", i));
    }
  }

  void add(profile::ProfiledStep step, const Json& seconds, const std::string& field) {
    if (seconds.is_number()) step.host_ns = text::duration_of(seconds.get<double>(), text::DecimalUnit::s);
    if (!step.host_ns)
      throw InputError({input_.name(), 0, fmt::format("results '{}'.{}", step.key, field)}, "is not a time in seconds",
                       kHyperfineHint);
    profile_.steps.push_back(std::move(step));
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  std::uint64_t failed_ = 0;
};

profile::StepProfile read_hyperfine(ProfileInput& input) { return HyperfineReader(input).read(); }

}  // namespace

const ProfileReader kHyperfine{
    .name = "hyperfine",
    .summary = "hyperfine --export-json: every run a measurement; parameters (-P seqlen ...) say of what",
    .example = R"({"results":[{"command":"train --seqlen 42","times":[1.71,1.70],"parameters":{"seqlen":"42"},...)",
    .recognises = is_hyperfine,
    .read = read_hyperfine,
};

}  // namespace seqpoint::io::profiles::formats
