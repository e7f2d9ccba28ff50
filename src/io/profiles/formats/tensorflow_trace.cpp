// The trace viewer's JSON of TensorFlow's and JAX's profiler (openxla/xla,
// xla/tsl/profiler/convert/trace_events_to_json.cc): no categories, every argument a string, lines named by metadata.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

#include "core/profile/timeline.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/engine/trace_events.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

/// Whether the head is that of a JSON object, and contains the key "highres-ticks".
bool is_tensorflow(const ProfileProbe& probe) {
  return io::json::first_value(probe.head).starts_with('{') &&
         probe.head.find("\"highres-ticks\"") != std::string_view::npos;
}

/// Correlation ids of the steps' own launches, downwards; groups are numbered from 0 up.
constexpr std::int64_t kStepLaunches = -2;

using Line = std::pair<std::string, std::string>;  ///< pid, tid

/// A complete event, and the number that links it to a step.
struct LineEvent {
  std::int64_t start = 0, duration = 0;
  std::uint32_t name = 0, line = 0;
  std::int64_t group = profile::DeviceOperation::kNoCorrelation;
};
struct StepEvent {
  LineEvent event;
  std::string number;
};

/// The whole number that `text` begins with; `otherwise` if it begins with none.
std::int64_t parse_integer_or(std::string_view text, std::int64_t otherwise) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && !text.empty() ? value : otherwise;
}

class TensorFlowReader {
 public:
  explicit TensorFlowReader(ProfileInput& input) : input_(input) {
    profile_.source = input.name();
    profile_.format = kTensorFlowTrace.name;
  }

  profile::StepProfile read() {
    const engine::TraceSummary end =
        engine::read_trace_events(input_.stream(), [this](const engine::TraceEvent& event) { add_event(event); });
    if (end.truncated)
      profile_.notes.push_back(fmt::format("{}: is cut short after {}; record it again, or copy it again",
                                           input_.name(), counted(end.events, "event")));
    if (end.damaged > 0)
      profile_.notes.push_back(fmt::format("{}: {} left out, as they are not valid JSON; record it again",
                                           input_.name(), counted(end.damaged, "event")));
    sort_lines();
    add_windows();
    add_device_operations();
    note_cut_step();
    profile::attribute_to_steps(std::move(timeline_), profile_);
    write_steps();
    return std::move(profile_);
  }

 private:
  /// Adds a complete event ("ph": "X"), or reads metadata; skips other events. Throws InputError for an invalid time.
  void add_event(const engine::TraceEvent& event) {
    if (event.ph == "M") return read_metadata(event);
    if (event.ph != "X") return;
    const auto start = text::parse_ns(event.ts, text::DecimalUnit::us),
               duration = text::parse_duration_ns(event.dur, text::DecimalUnit::us);
    if (!start || !duration)
      throw InputError({input_.name(), 0, "traceEvents: " + engine::unescaped(event.name.substr(0, 40))},
                       fmt::format("has a time that is none: ts {}, dur {}", event.ts, event.dur),
                       "export the trace again");
    const LineEvent line_event{.start = *start,
                               .duration = *duration,
                               .name = timeline_.names.id(engine::unescaped(event.name)),
                               .line = line_of(event),
                               .group = parse_integer_or(io::json::find_value(event.args, "group_id"),
                                                         profile::DeviceOperation::kNoCorrelation)};
    if (const std::string_view number = io::json::find_value(event.args, "step_num"); !number.empty())
      steps_.push_back({.event = line_event, .number = std::string(number)});
    events_.push_back(line_event);
  }

  /// Stores the name of a process or thread.
  void read_metadata(const engine::TraceEvent& event) {
    const std::string name = engine::unescaped(io::json::find_value(event.args, "name"));
    if (event.name == "process_name") processes_[std::string(event.pid)] = name;
    if (event.name == "thread_name") threads_[line_of(event)] = name;
  }

  /// The number of the line (process and thread) that the event is on, from 0 in order of appearance.
  std::uint32_t line_of(const engine::TraceEvent& event) {
    const auto [at, is_new] = ids_.try_emplace(Line{event.pid, event.tid}, static_cast<std::uint32_t>(ids_.size()));
    return at->second;
  }

  /// Finds the lines of steps, and those of device streams: on a device the threads named "Stream...", or "XLA Ops" if
  /// there is none. Other lines repeat the streams' events.
  void sort_lines() {
    streams_.assign(ids_.size(), false);
    on_device_.assign(ids_.size(), false);
    step_line_.assign(ids_.size(), false);
    device_of_.assign(ids_.size(), {});
    std::map<std::string, bool> has_streams;
    for (const auto& [line, id] : ids_)
      if (threads_[id].starts_with("Stream")) has_streams[line.first] = true;
    for (const auto& [line, id] : ids_) {
      device_of_[id] = line.first;
      on_device_[id] = processes_[line.first].starts_with("/device:");
      step_line_[id] = on_device_[id] && threads_[id] == "Steps";
      streams_[id] =
          on_device_[id] && (has_streams[line.first] ? threads_[id].starts_with("Stream") : threads_[id] == "XLA Ops");
    }
  }

  /// Adds a device's event of a step. A step on several devices lasts from the first device's start to the last one's
  /// end; an event that does not overlap is of another step with the same number, and is left out.
  void add_device_step(const LineEvent& event) {
    const auto [at, is_new] = device_steps_.try_emplace(timeline_.names[event.name], event);
    LineEvent& step = at->second;
    const std::int64_t start = std::min(step.start, event.start),
                       end = std::max(step.start + step.duration, event.start + event.duration);
    const bool together = end - start < step.duration + event.duration;  // else it is another of that number
    if (!is_new && together) step.start = start, step.duration = end - start;
  }

  /// Adds the windows of the steps: the host's StepTraceAnnotations, else the devices' own lines; with several devices
  /// each step counts once. Adds a note if there are no steps.
  void add_windows() {
    for (const LineEvent& event : events_) {
      if (!step_line_[event.line]) continue;
      add_device_step(event);
      steps_of_device_[device_of_[event.line]].emplace(event.start, event);
    }
    for (const StepEvent& step : steps_)
      if (!on_device_[step.event.line]) host_steps_.try_emplace(step.number, step.event);
    for (const auto& [number, event] : host_steps_.empty() ? device_steps_ : host_steps_) {
      timeline_.windows.push_back({.key = "step " + number, .start = event.start, .end = event.start + event.duration});
      if (event.group != profile::DeviceOperation::kNoCorrelation)
        timeline_.launches.push_back({.correlation = event.group, .start = event.start});
    }
    if (timeline_.windows.empty())
      profile_.notes.push_back(
          input_.name() +
          ": has neither a line 'Steps' of a device nor events with step_num; wrap steps in StepTraceAnnotation");
  }

  /// Adds the operations of streams. One that no group links to a step belongs to the step of its own device's line
  /// "Steps" that contains its start: both are on the device's clock.
  void add_device_operations() {
    std::set<std::int64_t> groups;
    for (const profile::Launch& launch : timeline_.launches) groups.insert(launch.correlation);
    std::map<std::string, std::int64_t> launch_of_step;
    for (const profile::StepWindow& window : timeline_.windows) {
      const std::int64_t id = kStepLaunches - static_cast<std::int64_t>(launch_of_step.size());
      launch_of_step.emplace(window.key, id);
      timeline_.launches.push_back({.correlation = id, .start = window.start});
    }
    for (const LineEvent& event : events_) {
      if (!streams_[event.line]) continue;
      timeline_.device.push_back({.start = event.start,
                                  .duration = event.duration,
                                  .correlation = event.group,
                                  .name = event.name,
                                  .lane = event.line});
      if (groups.contains(event.group)) continue;
      if (const LineEvent* const step = device_step_at(event))
        if (const auto id = launch_of_step.find("step " + timeline_.names[step->name]); id != launch_of_step.end())
          timeline_.device.back().correlation = id->second;
    }
  }
  /// The step of the event's device that contains its start; null if there is none.
  const LineEvent* device_step_at(const LineEvent& event) const {
    const auto steps = steps_of_device_.find(device_of_[event.line]);
    if (steps == steps_of_device_.end()) return nullptr;
    const auto later = steps->second.upper_bound(event.start);
    if (later == steps->second.begin()) return nullptr;
    const LineEvent& step = std::prev(later)->second;
    return event.start < step.start + step.duration ? &step : nullptr;
  }

  /// Adds a note if the last step of a device has fewer operations than every other step and lacks them at its end: the
  /// viewer keeps a limited number of events.
  void note_cut_step() {
    struct Filled {
      std::uint64_t operations = 0;
      std::int64_t end = 0;
    };
    std::map<const LineEvent*, Filled> filled;
    for (const LineEvent& event : events_)
      if (const LineEvent* const step = streams_[event.line] ? device_step_at(event) : nullptr) {
        Filled& so_far = filled[step];
        ++so_far.operations;
        so_far.end = std::max(so_far.end, event.start + event.duration);
      }
    for (const auto& [device, steps] : steps_of_device_) {
      if (steps.size() < 3) continue;  // fewer do not show what is usual
      const LineEvent* const last = &std::prev(steps.end())->second;
      const auto gap = [&](const LineEvent& step) { return step.start + step.duration - filled[&step].end; };
      const bool is_short = std::all_of(steps.begin(), std::prev(steps.end()), [&](const auto& entry) {
        return filled[last].operations < filled[&entry.second].operations && gap(*last) > gap(entry.second);
      });
      if (is_short)
        return profile_.notes.push_back(fmt::format(
            "{}: step {} has {}, fewer than every other step, and none at its end: the trace viewer may have dropped "
            "events; leave that step out",
            input_.name(), timeline_.names[last->name], counted(filled[last].operations, "device operation")));
    }
  }

  /// Completes the steps' times: a device's own steps give its working time, not the host's. Without a stream there are
  /// no times of device operations.
  void write_steps() {
    for (profile::ProfiledStep& step : profile_.steps) {
      const auto found = device_steps_.find(step.key.substr(step.key.find(' ') + 1));
      if (host_steps_.empty()) step.host_ns.reset();
      if (found != device_steps_.end()) step.gpu_span_ns = found->second.duration;
      if (step.gpu_ops == 0U && step.weak_gpu_ops == 0 && !any_stream())
        step.gpu_ops.reset(), step.gpu_sum_ns.reset(), step.gpu_busy_ns.reset();
    }
    note_gaps();
  }
  /// Whether the trace has a line of a device stream.
  bool any_stream() const { return std::find(streams_.begin(), streams_.end(), true) != streams_.end(); }

  /// Adds a note if the steps' numbers have gaps: the viewer keeps a million events and drops later steps.
  void note_gaps() {
    std::vector<std::int64_t> numbers;
    for (const profile::ProfiledStep& step : profile_.steps)
      numbers.push_back(parse_integer_or(step.key.substr(step.key.find(' ') + 1), 0));
    std::sort(numbers.begin(), numbers.end());
    if (numbers.size() > 1 &&
        static_cast<std::uint64_t>(numbers.back()) - static_cast<std::uint64_t>(numbers.front()) >= numbers.size())
      profile_.notes.push_back(input_.name() + ": step numbers have gaps: the trace viewer may have dropped events");
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  profile::Timeline timeline_;
  std::map<Line, std::uint32_t> ids_;
  std::map<std::string, std::string> processes_;
  std::map<std::uint32_t, std::string> threads_;
  std::vector<LineEvent> events_;
  std::vector<StepEvent> steps_;
  std::map<std::string, LineEvent> device_steps_, host_steps_;
  std::map<std::string, std::map<std::int64_t, LineEvent>> steps_of_device_;  ///< by process and start
  std::vector<std::string> device_of_;                                        ///< by line: its process
  std::vector<bool> streams_, on_device_, step_line_;
};

profile::StepProfile read_tensorflow(ProfileInput& input) { return TensorFlowReader(input).read(); }

}  // namespace

const ProfileReader kTensorFlowTrace{
    .name = "tensorflow",
    .summary = "TensorFlow, JAX, XProf: the trace viewer's JSON, with a device's Steps or StepTraceAnnotation",
    .example = R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[...,{}]})",
    .recognises = is_tensorflow,
    .read = read_tensorflow,
};

}  // namespace seqpoint::io::profiles::formats
