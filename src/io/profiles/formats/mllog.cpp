// MLPerf's training logs (mlcommons/logging, mlperf_logging/mllog/mllog.py): lines of `:::MLLOG {json}`, of v0.6
// `:::MLL seconds key: {json}` (compliance_checker/mlp_parser/ruleset_060.py), of v0.5
// `:::MLPv0.5.0 benchmark seconds (file:line) key: value` (mlperf_compliance/mlperf_log.py).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/json/document.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

namespace json = io::json;
using io::json::Json;

constexpr std::array<std::string_view, 3> kPrefixes{":::MLLOG ", ":::MLL ", ":::MLPv0.5.0 "};
enum Round : std::uint8_t { kCurrent, kV06, kV05 };  ///< as the prefixes are

bool is_mllog(const ProfileProbe& probe) {
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return probe.head.find(prefix) != std::string_view::npos; });
}

/// One line of any kind. Only where an interval begins or ends has the time to be one.
struct LogEvent {
  std::string key;
  std::optional<std::int64_t> ns;
  Json value, metadata;
};

/// Where an interval begins or ends. What `event_type` says is not looked at: some logs have none, and in others a stop
/// is a POINT_IN_TIME or an INTERVAL_START.
struct Mark {
  bool start = false;
  std::string number;  ///< of the epoch; empty: not said
  std::string name;
  std::int64_t ns = 0;
  std::uint64_t line = 0;
};
struct Interval {
  const Mark *start, *stop;
};
/// The intervals of one kind, and the starts that never end; nothing where starts and stops do not go together.
struct Pairs {
  std::vector<Interval> intervals;
  std::vector<const Mark*> open;
};

/// By the epoch's number: intervals may overlap. Several ranks begin one after the other: the first counts.
std::optional<Pairs> pairs_by_number(const std::vector<Mark>& marks) {
  std::map<std::string_view, const Mark*> open;
  Pairs pairs;
  for (const Mark& mark : marks) {
    if (mark.start) {
      open.try_emplace(mark.number, &mark);
      continue;
    }
    const auto start = open.find(mark.number);
    if (start == open.end()) return std::nullopt;
    pairs.intervals.push_back({start->second, &mark});
    open.erase(start);
  }
  for (const auto& [number, start] : open) pairs.open.push_back(start);
  return pairs;
}

/// One after the other, where a start and its stop are numbered by different counts, or one of them is not.
std::optional<Pairs> pairs_by_order(const std::vector<Mark>& marks) {
  Pairs pairs;
  const Mark* open = nullptr;
  for (const Mark& mark : marks) {
    if (mark.start == (open != nullptr)) return std::nullopt;
    if (open != nullptr) pairs.intervals.push_back({open, &mark});
    open = mark.start ? &mark : nullptr;
  }
  if (open != nullptr) pairs.open.push_back(open);
  return pairs;
}

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
    for (const auto& [kind, marks] : marks_) add_steps(kind, marks);
    std::stable_sort(ends_.begin(), ends_.end(),
                     [](const Interval& a, const Interval& b) { return a.stop->line < b.stop->line; });
    for (const Interval& interval : ends_) add_step(interval);
    if (marks_.empty()) profile_.notes.push_back(input_.name() + ": no interval begins in it (epoch_start, run_start)");
    if (epochs_have_no_end_)
      profile_.notes.push_back(input_.name() +
                               ": says where an epoch begins (train_epoch) and not where it ends: no step of it");
    profile_.facts.emplace_back("log_lines", static_cast<std::int64_t>(lines_));
    return std::move(profile_);
  }

 private:
  void read_line(std::string_view line) {
    for (const Round round : {kCurrent, kV06, kV05}) {
      const auto at = line.find(kPrefixes[round]);
      if (at == std::string_view::npos) continue;
      const std::string_view event = line.substr(at + kPrefixes[round].size());
      ++lines_;
      if (!seen_.insert(std::string(event)).second) return;
      return add_event(round == kCurrent ? parse_current(event) : round == kV06 ? parse_v06(event) : parse_v05(event));
    }
  }

  [[noreturn]] void fail(std::uint64_t line, const std::string& problem) const {
    throw InputError({input_.name(), line}, problem, "is the log whole?");
  }

  LogEvent parse_current(std::string_view text) const {
    const Json event = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!event.is_object()) fail(line_, "is not valid JSON behind :::MLLOG");
    std::optional<std::int64_t> ns;  // of the text: a double has fewer digits than some logs
    for (const json::Member& member : json::members(text, json::skip_blanks(text, 0)))
      if (member.key == "time_ms") ns = text::parse_ns(member.value, text::DecimalUnit::ms);
    return {.key = json::text_at(event, "key"),
            .ns = ns,
            .value = event.value("value", Json()),
            .metadata = event.value("metadata", Json())};
  }
  LogEvent parse_v06(std::string_view text) const {
    constexpr auto kForm = "is not of the form :::MLL SECONDS KEY: {...}";
    const auto blank = text.find(' '), colon = text.find(": ");
    if (blank == std::string_view::npos || colon == std::string_view::npos || colon < blank) fail(line_, kForm);
    const auto ns = text::parse_ns(text.substr(0, blank), text::DecimalUnit::s);
    const Json event = Json::parse(text.substr(colon + 2), nullptr, false);
    if (!ns || !event.is_object()) fail(line_, kForm);
    return {.key = std::string(text.substr(blank + 1, colon - blank - 1)),
            .ns = ns,
            .value = event.value("value", Json()),
            .metadata = event.value("metadata", Json())};
  }

  /// The value is what Python printed: JSON, or nothing. A whole number is the epoch's.
  LogEvent parse_v05(std::string_view text) const {
    const auto file = text.find(" ("), key = text.find(") ");
    const auto benchmark = std::min(text.find(' '), file);
    const auto ns = key == std::string_view::npos || benchmark == file || file > key
                        ? std::nullopt
                        : text::parse_ns(text.substr(benchmark + 1, file - benchmark - 1), text::DecimalUnit::s);
    if (!ns) fail(line_, "is not of the form :::MLPv0.5.0 BENCHMARK SECONDS (FILE:LINE) KEY");
    const std::string_view said = text::trim(text.substr(key + 2));
    const auto colon = std::min(said.find(": "), said.size());
    const Json value = Json::parse(said.substr(std::min(colon + 2, said.size())), nullptr, false);
    return {.key = std::string(said.substr(0, colon)),
            .ns = ns,
            .value = value,
            .metadata = value.is_number_integer() ? Json{{"epoch_num", value}} : Json()};
  }

  /// The number of the epoch, else of the step or sample; empty where the event has none.
  static std::string number_of(const LogEvent& event) {
    for (const char* const number : {"epoch_num", "first_epoch_num", "step_num", "samples_count"})
      if (event.metadata.is_object() && event.metadata.contains(number) && event.metadata[number].is_number())
        return event.metadata[number].dump();
    return {};
  }

  void add_event(const LogEvent& event) {
    if (event.value.is_number_integer() && (event.key == "global_batch_size" || event.key == "train_samples"))
      profile_.facts.emplace_back(event.key, event.value.get<std::int64_t>());
    epochs_have_no_end_ = epochs_have_no_end_ || event.key == "train_epoch";
    const bool start = event.key.ends_with("_start");
    if (!start && !event.key.ends_with("_stop")) return;
    if (!event.ns) fail(line_, fmt::format("'{}' has no time_ms that is a time", event.key));
    const std::string kind = event.key.substr(0, event.key.rfind('_')), number = number_of(event);
    std::vector<Mark>& marks = marks_[kind];
    if (!start && marks.empty())
      return profile_.notes.push_back(
          fmt::format("{}:{}: '{}' ends what did not begin", input_.name(), line_, event.key));
    // Another rank's.
    if (!marks.empty() && marks.back().start == start && marks.back().number == number) return;
    marks.push_back({.start = start,
                     .number = number,
                     .name = number.empty() ? kind : kind + ' ' + number,
                     .ns = *event.ns,
                     .line = line_});
  }

  void add_steps(const std::string& kind, const std::vector<Mark>& marks) {
    std::optional<Pairs> pairs = pairs_by_number(marks);
    if (!pairs) pairs = pairs_by_order(marks);
    if (!pairs)
      return profile_.notes.push_back(
          fmt::format("{}: intervals of '{}' are left out: they overlap, and the numbers of their starts and stops do "
                      "not go together",
                      input_.name(), kind));
    for (const Mark* const start : pairs->open)
      profile_.notes.push_back(
          fmt::format("{}:{}: '{}' begins and does not end", input_.name(), start->line, start->name));
    ends_.insert(ends_.end(), pairs->intervals.begin(), pairs->intervals.end());
  }

  void add_step(const Interval& interval) {
    profile::ProfiledStep step;
    step.key = interval.start->name;
    step.line = interval.start->line;
    if (interval.stop->ns < interval.start->ns)
      fail(interval.stop->line, fmt::format("'{}' ends before it begins: was the clock set?", step.key));
    step.host_ns = interval.stop->ns - interval.start->ns;
    profile_.steps.push_back(std::move(step));
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  std::map<std::string, std::vector<Mark>> marks_;  ///< by kind: "epoch"
  std::vector<Interval> ends_;
  std::set<std::string, std::less<>> seen_;
  std::uint64_t line_ = 0, lines_ = 0;
  bool epochs_have_no_end_ = false;  ///< as in v0.5
};

profile::StepProfile read_mllog(ProfileInput& input) { return MllogReader(input).read(); }

}  // namespace

const ProfileReader kMllog{
    .name = "mllog",
    .summary = "MLPerf training log: every interval (run, epoch 1, eval 1) a step",
    .example = R"(:::MLLOG {"time_ms": 1593830676791, "event_type": "INTERVAL_START", "key": "epoch_start", ...})",
    .recognises = is_mllog,
    .read = read_mllog,
    .in_logs = true,
};

}  // namespace seqpoint::io::profiles::formats
