// PyTorch's profiler: a Chrome trace from libkineto (pytorch/kineto, libkineto/src/output_json.cpp; categories from
// libkineto/include/ActivityType.h).
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/profile/timeline.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/engine/step_windows.hpp"
#include "io/profiles/engine/trace_events.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

using engine::Category;

/// Whether the head is that of a Chrome trace: an object with traceEvents, or an array of events.
bool is_chrome_trace(std::string_view head) {
  const std::string_view json = io::json::first_value(head);
  if (json.starts_with('[')) return head.find("\"ph\"") != std::string_view::npos;
  // A long list of devices may stand before the events.
  return json.starts_with('{') && (head.find("\"traceEvents\"") != std::string_view::npos ||
                                   head.find("\"deviceProperties\"") != std::string_view::npos);
}

bool is_kineto(const ProfileProbe& probe) { return is_chrome_trace(probe.head); }

/// Numbers for the ids of processes and threads, which are text in traces: of "pid" or "pid tid" by their text; most
/// events have the same thread as the previous one.
class TextIds {
 public:
  /// The number of a text, or of a pair of texts, from 0 in order of appearance.
  std::uint32_t id(std::string_view first, std::string_view second = {}) {
    if (first == last_first_ && second == last_second_ && !last_.empty()) return id_;
    last_.assign(first).append(1, ' ').append(second);
    id_ = static_cast<std::uint32_t>(ids_.try_emplace(last_, ids_.size()).first->second);
    last_first_ = std::string_view(last_).substr(0, first.size());
    last_second_ = std::string_view(last_).substr(first.size() + 1);
    return id_;
  }

 private:
  std::unordered_map<std::string, std::size_t> ids_;
  std::string last_;
  std::string_view last_first_, last_second_;
  std::uint32_t id_ = 0;
};

class KinetoReader {
 public:
  explicit KinetoReader(ProfileInput& input) : input_(input) {
    profile_.source = input.name();
    profile_.format = "kineto";
    timeline_.same_process_ids = false;
    timeline_.lanes_are_in_order = true;
  }

  profile::StepProfile read() {
    const engine::TraceSummary end =
        engine::read_trace_events(input_.stream(), [this](const engine::TraceEvent& event) { add_event(event); });
    require_trace(end);
    require_durations();
    note_header(end);
    if (halves_ > 0)
      profile_.notes.push_back(
          fmt::format("{}: {} in two halves (\"ph\": \"B\" and \"E\") left out: whole ones (\"X\") are read",
                      input_.name(), counted(halves_, "event")));
    note_unknown_categories();
    take_steps_elsewhere();
    engine::choose_steps(std::move(ranges_), input_.rules(), timeline_, profile_);
    profile::attribute_to_steps(std::move(timeline_), profile_);
    profile::mark_stubs(profile_);
    return std::move(profile_);
  }

 private:
  /// Adds a complete event ("ph": "X") by its category; skips and counts others. Throws InputError for an invalid time.
  void add_event(const engine::TraceEvent& event) {
    ++events_;
    halves_ += event.ph == "B" ? 1 : 0;
    if (event.ph != "X") return;
    const Category category = event.cat.empty() ? category_without_kineto(event) : engine::category_of(event.cat);
    const bool elsewhere = is_step_elsewhere(event, category);
    if (category == Category::unknown && !elsewhere) ++unknown_[engine::unescaped(event.cat)];
    if (!elsewhere && (category == Category::unused || category == Category::unknown)) return;
    const std::optional<std::int64_t> start = text::parse_ns(event.ts, text::DecimalUnit::us);
    const std::optional<std::int64_t> duration = text::parse_duration_ns(event.dur, text::DecimalUnit::us);
    if (!start) fail_at(event, "ts", event.ts);
    if (!duration) fail_at(event, "dur", event.dur);
    if (elsewhere) return add_range(steps_elsewhere_, event, *start, *duration);
    switch (category) {
      case Category::cpu_op:
        return timeline_.host.push_back(
            {.start = *start, .duration = *duration, .name = name_of(event), .thread = thread_of(event)});
      case Category::runtime: return add_launch(event, *start);
      case Category::kernel:
      case Category::copy: return add_device_operation(event, *start, *duration);
      case Category::user_range: return add_range(ranges_, event, *start, *duration);
      case Category::device_range:
        return timeline_.device_ranges.push_back({.start = *start,
                                                  .end = *start + *duration,
                                                  .name = name_of(event),
                                                  .lane = lanes_.id(event.pid, event.tid)});
      case Category::unknown:
      case Category::unused: break;
    }
  }

  /// The category of an event without one. Built without Kineto, like Debian's package, PyTorch writes none: operators
  /// and ranges of the host are both events of the process "CPU functions" (torch/autograd/profiler_util.py,
  /// EventList.export_chrome_trace). A range that does not name a step looks like an operator there.
  Category category_without_kineto(const engine::TraceEvent& event) const {
    if (event.pid != "CPU functions") return Category::unknown;
    const std::string name = engine::unescaped(event.name);
    return engine::is_profiler_step(name) || input_.rules().names_step(name) ? Category::user_range : Category::cpu_op;
  }

  /// Whether an event that is no annotation names a step: profilers of other vendors write steps under a category of
  /// their own, or as operators (torch_npu: cpu_op). An operator other than ProfilerStep#N counts only if the user has
  /// given a pattern or a map.
  bool is_step_elsewhere(const engine::TraceEvent& event, Category category) const {
    const bool may_be = category == Category::cpu_op || category == Category::unknown || category == Category::unused;
    if (!may_be) return false;
    if (engine::is_profiler_step(event.name)) return true;
    const profile::NameRules& rules = input_.rules();
    const bool asked = category != Category::cpu_op || rules.pattern || rules.map;
    return asked && rules.names_step(engine::unescaped(event.name));
  }

  /// Adds the steps under other categories to the ranges, unless annotations of the host name steps: the others then
  /// repeat them.
  void take_steps_elsewhere() {
    const auto is_step = [this](const engine::NamedRange& range) {
      const std::string& name = timeline_.names[range.name];
      return engine::is_profiler_step(name) || input_.rules().names_step(name);
    };
    if (std::ranges::none_of(ranges_, is_step))
      ranges_.insert(ranges_.end(), steps_elsewhere_.begin(), steps_elsewhere_.end());
  }

  /// Throws InputError: `value` of the event's `field` is not a time, or is missing (empty).
  [[noreturn]] void fail_at(const engine::TraceEvent& event, const char* field, std::string_view value) const {
    constexpr std::size_t kShown = 40;
    throw InputError({input_.name(), 0, fmt::format("traceEvents[{}].{}", events_ - 1, field)},
                     fmt::format("{} ({})",
                                 value.empty() ? "is missing"
                                               : std::string(value.substr(0, kShown)) +
                                                     " is not a time in microseconds that an event can have",
                                 engine::unescaped(event.name.substr(0, kShown))),
                     "record the trace again, or take the event out");
  }

  std::uint32_t name_of(const engine::TraceEvent& event) {
    return event.name.find('\\') == std::string_view::npos ? timeline_.names.id(event.name)
                                                           : timeline_.names.id(engine::unescaped(event.name));
  }
  std::uint32_t thread_of(const engine::TraceEvent& event) {
    const std::uint32_t id = threads_.id(event.pid, event.tid);
    if (id == timeline_.process_of_thread.size()) timeline_.process_of_thread.push_back(processes_.id(event.pid));
    return id;
  }
  /// The event's correlation id; kNoCorrelation if there is none.
  static std::int64_t correlation_of(const engine::TraceEvent& event) {
    const std::string_view text = io::json::find_value(event.args, "correlation");
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    return error == std::errc{} && !text.empty() ? id : profile::DeviceOperation::kNoCorrelation;
  }

  /// Adds a call of the runtime if it has a correlation id.
  void add_launch(const engine::TraceEvent& event, std::int64_t start) {
    const std::int64_t correlation = correlation_of(event);
    if (correlation != profile::DeviceOperation::kNoCorrelation)
      timeline_.launches.push_back({.correlation = correlation, .start = start, .process = processes_.id(event.pid)});
  }
  /// Adds a kernel, copy or memset.
  void add_device_operation(const engine::TraceEvent& event, std::int64_t start, std::int64_t duration) {
    timeline_.device.push_back({.start = start,
                                .duration = duration,
                                .correlation = correlation_of(event),
                                .name = name_of(event),
                                .lane = lanes_.id(event.pid, event.tid)});
    without_duration_ += duration == 0 ? 1 : 0;
  }
  void add_range(std::vector<engine::NamedRange>& to, const engine::TraceEvent& event, std::int64_t start,
                 std::int64_t duration) {
    const std::uint32_t thread = thread_of(event);
    to.push_back({.start = start,
                  .end = start + duration,
                  .name = name_of(event),
                  .process = timeline_.process_of_thread[thread],
                  .thread = thread});
  }

  /// Throws InputError if there are no events, no valid event, or if the trace is truncated before any step. Adds notes
  /// on damaged events and a truncated trace.
  void require_trace(const engine::TraceSummary& end) {
    if (!end.has_events)
      throw InputError({input_.name(), 0, "traceEvents"}, "is missing: this is no trace",
                       "give what export_chrome_trace() or tensorboard_trace_handler() wrote");
    if (end.damaged > 0 && end.events == 0)
      throw InputError({input_.name(), 0, "traceEvents"}, "holds no event that is valid JSON", "record it again");
    if (end.damaged > 0)
      profile_.notes.push_back(fmt::format("{}: {} left out, as they are not valid JSON; record it again",
                                           input_.name(), counted(end.damaged, "event")));
    if (!end.truncated) return;
    const bool any_step = std::any_of(ranges_.begin(), ranges_.end(), [&](const engine::NamedRange& range) {
      return engine::is_profiler_step(timeline_.names[range.name]) ||
             input_.rules().names_step(timeline_.names[range.name]);
    });
    if (!any_step)
      throw InputError({input_.name()}, "is cut short, and no step is in what is left",
                       "record it again, or copy it again");
    profile_.notes.push_back(fmt::format("{}: is cut short after {}; record it again: the last steps lack operations",
                                         input_.name(), counted(events_, "event")));
  }

  /// Throws InputError if more than half of the device operations have no duration. Some versions wrote traces in which
  /// most events have neither start nor duration (pytorch/pytorch#188481).
  void require_durations() const {
    const std::size_t operations = timeline_.device.size();
    if (operations > 1 && 2 * without_duration_ > operations)
      throw InputError({input_.name()},
                       fmt::format("{} of {} have a duration of 0: the profiler failed",
                                   counted(without_duration_, "device operation"), operations),
                       "record it again with another version of PyTorch");
  }

  /// Adds a note for each unknown category: an accelerator without a rule here may have done the work of the steps.
  void note_unknown_categories() {
    for (const auto& [category, count] : unknown_)
      profile_.notes.push_back(fmt::format("{}: {} {} are in no figure; use host times: their kind is not known",
                                           input_.name(), counted(count, "event"),
                                           category.empty() ? "without a category" : "of category '" + category + "'"));
  }

  /// Sets the rank from distributedInfo, and the facts of the trace.
  void note_header(const engine::TraceSummary& end) {
    if (const auto found = end.header.find("distributedInfo"); found != end.header.end()) {
      const std::string_view rank = io::json::find_value(found->second, "rank");
      std::uint64_t number = 0;
      if (std::from_chars(rank.data(), rank.data() + rank.size(), number).ec == std::errc{} && !rank.empty())
        profile_.rank = number;
    }
    profile_.facts.emplace_back("events", static_cast<std::int64_t>(end.events));
    profile_.facts.emplace_back("device_operations", static_cast<std::int64_t>(timeline_.device.size()));
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  profile::Timeline timeline_;
  std::vector<engine::NamedRange> ranges_, steps_elsewhere_;
  TextIds processes_, threads_, lanes_;
  std::map<std::string, std::uint64_t> unknown_;  ///< events with a duration, by category
  std::uint64_t events_ = 0, without_duration_ = 0, halves_ = 0;
};

profile::StepProfile read_kineto(ProfileInput& input) { return KinetoReader(input).read(); }

}  // namespace

const ProfileReader kKineto{
    .name = "kineto",
    .summary = "PyTorch's profiler: Chrome trace with ProfilerStep#N, or with ranges named after iterations",
    .example = R"({"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#7",...)",
    .recognises = is_kineto,
    .read = read_kineto,
};

}  // namespace seqpoint::io::profiles::formats
