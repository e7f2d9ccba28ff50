// MLPerf's training logs (mlcommons/logging, mlperf_logging/mllog/mllog.py): lines of `:::MLLOG {json}`, before v0.7
// `:::MLL seconds key: {json}` (compliance_checker/mlp_parser/ruleset_060.py).
#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/json/document.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

namespace json = io::json;
using io::json::Json;

constexpr std::string_view kCurrentPrefix = ":::MLLOG ", kLegacyPrefix = ":::MLL ";

bool is_mllog(const ProfileProbe& probe) {
  return probe.head.find(kCurrentPrefix) != std::string_view::npos ||
         probe.head.find(kLegacyPrefix) != std::string_view::npos;
}

/// One line of either kind.
struct LogEvent {
  std::string key, type;
  std::int64_t ns = 0;
  Json value, metadata;
};

/// Intervals become steps: `epoch_start` to `epoch_stop` of the same number is "epoch 1". Files of several ranks repeat
/// lines.
class MllogReader {
 public:
  explicit MllogReader(ProfileInput& input) : input_(input) {
    profile_.source = input.name();
    profile_.format = kMllog.name;
  }

  profile::StepProfile read() {
    std::string_view text = input_.text();
    for (line_ = 1; !text.empty(); ++line_) read_line(stream::take_line(text));
    for (const auto& [kind, start] : open_)
      profile_.notes.push_back(
          fmt::format("{}:{}: '{}' begins and does not end", input_.name(), start.line, start.name));
    profile_.facts.emplace_back("log_lines", static_cast<std::int64_t>(lines_));
    return std::move(profile_);
  }

 private:
  struct Start {
    std::int64_t ns = 0;
    std::uint64_t line = 0;
    std::string name;
  };

  void read_line(std::string_view line) {
    const auto at = line.find(kCurrentPrefix), old = line.find(kLegacyPrefix);
    if (at == std::string_view::npos && old == std::string_view::npos) return;
    const bool is_new = at != std::string_view::npos;
    const std::string_view event = line.substr(is_new ? at + kCurrentPrefix.size() : old + kLegacyPrefix.size());
    ++lines_;
    if (!seen_.insert(std::string(event)).second) return;
    add_event(is_new ? parse_current(event) : parse_legacy(event));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError({input_.name(), line_}, problem, "is the log whole?");
  }

  LogEvent parse_current(std::string_view text) const {
    const Json event = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!event.is_object()) fail("is not valid JSON behind :::MLLOG");
    const auto time = event.find("time_ms");
    const auto ns =
        time != event.end() && time->is_number() ? text::parse_ns(time->dump(), text::DecimalUnit::ms) : std::nullopt;
    if (!ns) fail("has no time_ms");
    return {.key = json::text_at(event, "key"),
            .type = json::text_at(event, "event_type"),
            .ns = *ns,
            .value = event.value("value", Json()),
            .metadata = event.value("metadata", Json())};
  }
  LogEvent parse_legacy(std::string_view text) const {
    const auto blank = text.find(' '), colon = text.find(": ");
    if (blank == std::string_view::npos || colon == std::string_view::npos || colon < blank)
      fail("is not of the form :::MLL SECONDS KEY: {...}");
    const auto ns = text::parse_ns(text.substr(0, blank), text::DecimalUnit::s);
    const Json event = Json::parse(text.substr(colon + 2), nullptr, false);
    if (!ns || !event.is_object()) fail("is not of the form :::MLL SECONDS KEY: {...}");
    const std::string key(text.substr(blank + 1, colon - blank - 1));
    const char* const type = key.ends_with("_start") ? "INTERVAL_START" : key.ends_with("_stop") ? "INTERVAL_END" : "";
    return {.key = key,
            .type = type,
            .ns = *ns,
            .value = event.value("value", Json()),
            .metadata = event.value("metadata", Json())};
  }

  static std::string kind_of(const LogEvent& event) { return event.key.substr(0, event.key.rfind('_')); }
  /// The interval's kind and number: "epoch 1".
  static std::string name_of(const LogEvent& event) {
    for (const char* const number : {"epoch_num", "first_epoch_num", "step_num"})
      if (event.metadata.is_object() && event.metadata.contains(number) && event.metadata[number].is_number())
        return kind_of(event) + " " + event.metadata[number].dump();
    return kind_of(event);
  }

  void add_event(const LogEvent& event) {
    // Several ranks begin one after the other: the first counts.
    if (event.type == "INTERVAL_START")
      open_.try_emplace(kind_of(event), Start{.ns = event.ns, .line = line_, .name = name_of(event)});
    if (event.type == "INTERVAL_END") end_step(event);
    if (event.type == "POINT_IN_TIME" && event.value.is_number_integer() &&
        (event.key == "global_batch_size" || event.key == "train_samples"))
      profile_.facts.emplace_back(event.key, event.value.get<std::int64_t>());
  }

  void end_step(const LogEvent& event) {
    const auto start = open_.find(kind_of(event));
    if (start == open_.end())
      return profile_.notes.push_back(
          fmt::format("{}:{}: '{}' ends what did not begin", input_.name(), line_, event.key));
    profile::ProfiledStep step;
    step.key = start->second.name;
    step.line = start->second.line;
    if (event.ns < start->second.ns) fail(fmt::format("'{}' ends before it begins: was the clock set?", step.key));
    step.host_ns = event.ns - start->second.ns;
    profile_.steps.push_back(std::move(step));
    open_.erase(start);
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  std::map<std::string, Start> open_;
  std::set<std::string, std::less<>> seen_;
  std::uint64_t line_ = 0, lines_ = 0;
};

profile::StepProfile read_mllog(ProfileInput& input) { return MllogReader(input).read(); }

}  // namespace

const ProfileReader kMllog{
    .name = "mllog",
    .summary = "MLPerf training log: every interval (run, epoch 1, eval 1) a step",
    .example = R"(:::MLLOG {"time_ms": 1593830676791, "event_type": "INTERVAL_START", "key": "epoch_start", ...})",
    .recognises = is_mllog,
    .read = read_mllog,
};

}  // namespace seqpoint::io::profiles::formats
