// `perf stat` as JSON lines (-j) or separated values (-x). Sources: tools/perf/Documentation/perf-stat.txt ("CSV
// FORMAT", "JSON FORMAT") and tools/perf/tests/shell/lib/perf_json_output_lint.py of the Linux kernel.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "io/json/document.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/engine/metric_columns.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

namespace json = io::json;
using io::json::Json;

bool is_perf_json(const ProfileProbe& probe) {
  return probe.head.find("\"counter-value\"") != std::string_view::npos ||
         probe.head.find("\"metric-value\"") != std::string_view::npos;
}

/// `1.20;msec;task-clock:u;1204272;100.00`, after an id or two.
struct PerfFields {
  std::string_view value, unit, event, running;
  std::string interval;
  bool is_part = false;  ///< of one processor, thread or the like, and not of all
};

bool is_value(std::string_view text) {
  return text.starts_with('<') || text::parse_number(text).fault == text::NumberFault::none;
}
bool is_event(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }) &&
         !is_value(text);
}

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    fields.push_back(text::trim(line.substr(at, end - at)));
    at = end + 1;
  }
  return fields;
}

/// The value is the first field with an event's name two fields after it and a time behind that, which no warning of
/// the form FILE:LINE: has; what is before it are time and CPU. Repeated runs (-r) have their spread before the time.
std::optional<PerfFields> parse_fields(std::string_view line, char separator) {
  const std::vector<std::string_view> fields = split(line, separator);
  for (std::size_t v = 0; v + 3 < fields.size(); ++v) {
    const std::size_t time = v + (fields[v + 3].ends_with('%') ? 4 : 3);
    if (!is_value(fields[v]) || !is_event(fields[v + 2]) || time == fields.size() || !is_value(fields[time])) continue;
    const bool timed = v > 0 && fields[0].find('.') != std::string_view::npos &&
                       text::parse_number(fields[0]).fault == text::NumberFault::none;
    return PerfFields{.value = fields[v],
                      .unit = fields[v + 1],
                      .event = fields[v + 2],
                      .running = time + 1 < fields.size() ? fields[time + 1] : "",
                      .interval = timed ? std::string(fields[0]) : "",
                      .is_part = v > (timed ? 1 : 0)};
  }
  return std::nullopt;
}

/// The separator of the first line that is a measurement; '\0' if none is.
char separator_of(std::string_view text) {
  for (int lines = 0; !text.empty() && lines < 20; ++lines) {
    const std::string_view line = text::trim(stream::take_line(text));
    if (line.empty() || line.starts_with('#')) continue;
    for (const char separator : {';', ',', '\t', '|', ':'})
      if (parse_fields(line, separator)) return separator;
    return '\0';
  }
  return '\0';
}

bool is_perf_csv(const ProfileProbe& probe) {
  return (probe.head.starts_with("# started on") || !json::first_value(probe.head).starts_with('{')) &&
         separator_of(probe.head) != '\0';
}

/// One file is one step, named after it; with -I every interval is one.
class PerfReader {
 public:
  PerfReader(ProfileInput& input, const ProfileReader& reader) : input_(input), metrics_(profile_) {
    profile_.source = input.name();
    profile_.format = reader.name;
  }

  /// Takes a line of remarks: with --append a file holds one run after another, each below its own "# started on".
  void add_remark(std::string_view line) { begins_ = begins_ || line.starts_with("# started on"); }

  void add(const PerfFields& fields, std::uint64_t line) {
    if (fields.event.empty()) return;
    profile::ProfiledStep& step = step_of(fields.interval, line);
    if (const std::string event(fields.event); !events_.insert(event).second && !fields.is_part) added_up_ = event;
    if (fields.value.starts_with('<')) {
      ++not_counted_;
      return;
    }
    const text::Number number = text::parse_number(fields.value);
    if (number.fault != text::NumberFault::none || !std::isfinite(number.value))
      throw InputError({input_.name(), line, std::string(fields.event)},
                       text::describe(text::NumberFault::not_a_number, fields.value), "measure again with LC_ALL=C");
    constexpr double kFew = 50;
    const text::Number running = text::parse_number(fields.running);
    if (running.fault == text::NumberFault::none && running.value > 0 && running.value < kFew) ++multiplexed_;
    add_value(step, fields, number.value, line);
  }

  profile::StepProfile finish() {
    metrics_.finish();
    if (profile_.steps.empty())
      throw InputError({input_.name()}, "holds no event that was counted", "write it with perf stat -o FILE");
    if (!profile_.has(profile::TimeKind::host))
      profile_.notes.push_back(input_.name() +
                               ": has no duration_time, so there is no time to project: add -e duration_time");
    if (!added_up_.empty())
      profile_.notes.push_back(fmt::format(
          "{}: '{}' stands there more than once for a run, and is added up: of several runs, as -j --append "
          "writes them, give each a file of its own",
          input_.name(), added_up_));
    if (not_counted_ > 0)
      profile_.notes.push_back(
          fmt::format("{}: {} not counted or not supported", input_.name(), counted(not_counted_, "event")));
    if (multiplexed_ > 0)
      profile_.notes.push_back(
          fmt::format("{}: {} counted less than half of the time and scaled up: measure fewer at once", input_.name(),
                      counted(multiplexed_, "event")));
    return std::move(profile_);
  }

 private:
  profile::ProfiledStep& step_of(const std::string& interval, std::uint64_t line) {
    const std::string key = interval.empty() ? input_.stem() : "interval " + interval;
    const bool goes_on = !profile_.steps.empty() && profile_.steps.back().key == key;
    if (!std::exchange(begins_, false) && goes_on) return profile_.steps.back();
    events_.clear();
    profile_.steps.emplace_back();
    profile_.steps.back().key = key;
    profile_.steps.back().line = line;
    return profile_.steps.back();
  }

  void add_value(profile::ProfiledStep& step, const PerfFields& fields, double value, std::uint64_t line) {
    const std::string event(fields.event);
    const bool wall = event.starts_with("duration_time"),
               cpu = event.starts_with("task-clock") || event.starts_with("cpu-clock");
    if (!wall && !cpu) return metrics_.add(step, event, value);
    const auto unit = text::decimal_unit(fields.unit.empty() ? (wall ? "ns" : "ms") : fields.unit);
    const auto ns = unit ? text::parse_duration_ns(fields.value, *unit) : std::nullopt;
    if (!ns)
      throw InputError({input_.name(), line, event}, fmt::format("{} {} is no duration", fields.value, fields.unit),
                       "measure again");
    constexpr double kNsPerSecond = 1e9;
    if (wall && step.host_ns.value_or(0) > 0)
      throw InputError({input_.name(), line, event}, "stands there twice for one run",
                       "give each run a file of its own");
    // CPU time adds up over CPUs: it is not what a step took.
    if (wall)
      step.host_ns = *ns;
    else
      metrics_.add(step, event.substr(0, event.find(':')) + "_s", static_cast<double>(*ns) / kNsPerSecond);
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  engine::MetricColumns metrics_;
  std::uint64_t not_counted_ = 0, multiplexed_ = 0;
  std::set<std::string> events_;  ///< of the last step
  std::string added_up_;          ///< an event that stands there several times
  bool begins_ = false;           ///< the next event is a run's first
};

/// The objects of a text that stand one after the other, on lines of their own or not.
template <class Take, class TakeRemark>
void for_each_object(std::string_view text, Take take, TakeRemark take_remark) {
  std::uint64_t line_number = 0;
  while (!text.empty()) {
    std::string_view line = stream::take_line(text);
    ++line_number;
    if (line.starts_with('#')) take_remark(line);
    for (std::size_t open = line.find('{'); open != std::string_view::npos && !line.starts_with('#');
         open = line.find('{')) {
      const std::size_t close = std::min(json::end_of_value(line, open), line.size());
      take(line.substr(open, close - open), line_number);
      line.remove_prefix(close);
    }
  }
}

/// Some builds leave a comma before the closing brace.
std::string without_last_comma(std::string_view object) {
  std::string text(object);
  auto comma = text.find_last_not_of(" \t}");
  if (comma != std::string::npos && text[comma] == ',') text[comma] = ' ';
  return text;
}

/// Keys of what counts were taken of, where they were not added up.
constexpr std::array kParts{"cpu", "core", "cluster", "cache", "die", "socket", "node", "thread", "cgroup"};

profile::StepProfile read_perf_json(ProfileInput& input) {
  PerfReader reader(input, kPerfStatJson);
  const auto take = [&](std::string_view object, std::uint64_t line) {
    const Json event = Json::parse(without_last_comma(object), nullptr, false);
    if (!event.is_object())
      throw InputError({input.name(), line}, "is not valid JSON", "write it with perf stat -j -o FILE");
    const std::string value = json::text_at(event, "counter-value"), unit = json::text_at(event, "unit"),
                      name = json::text_at(event, "event");
    const auto running = event.find("pcnt-running"), interval = event.find("interval");
    const std::string share = running != event.end() && running->is_number() ? running->dump() : "";
    if (!value.empty())
      reader.add({.value = value,
                  .unit = unit,
                  .event = name,
                  .running = share,
                  .interval = interval != event.end() ? interval->dump() : "",
                  .is_part = std::ranges::any_of(kParts, [&](const char* part) { return event.contains(part); })},
                 line);
  };
  for_each_object(input.text(), take, [&](std::string_view line) { reader.add_remark(line); });
  return reader.finish();
}

profile::StepProfile read_perf_csv(ProfileInput& input) {
  PerfReader reader(input, kPerfStatCsv);
  std::string_view text = input.text();
  const char separator = separator_of(text);
  for (std::uint64_t line_number = 1; !text.empty(); ++line_number) {
    const std::string_view line = text::trim(stream::take_line(text));
    if (line.starts_with('#')) reader.add_remark(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (const auto fields = parse_fields(line, separator)) reader.add(*fields, line_number);
  }
  return reader.finish();
}

}  // namespace

const ProfileReader kPerfStatJson{
    .name = "perf-stat",
    .summary = "perf stat -j: the file is one step, named after it; with -I every interval is one",
    .example = R"({"counter-value" : "3805.72", "unit" : "msec", "event" : "task-clock", ...})",
    .recognises = is_perf_json,
    .read = read_perf_json,
};
const ProfileReader kPerfStatCsv{
    .name = "perf-stat-csv",
    .summary = "perf stat -x: the same as separated values",
    .example = "1.20;msec;task-clock:u;1204272;100.00",
    .recognises = is_perf_csv,
    .read = read_perf_csv,
};

}  // namespace seqpoint::io::profiles::formats
