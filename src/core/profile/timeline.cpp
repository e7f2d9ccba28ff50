#include "core/profile/timeline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

namespace seqpoint::profile {
namespace {

constexpr std::size_t kNoStep = std::numeric_limits<std::size_t>::max();

/// The sum, or the largest number if it would overflow: a damaged file may contain any times.
std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

/// Finds the window that contains an instant. The windows of the timeline are ordered by start.
class WindowFinder {
 public:
  explicit WindowFinder(const Timeline& timeline)
      : windows_(timeline.windows), same_process_ids_(timeline.same_process_ids) {
    const std::vector<StepWindow>& windows = timeline.windows;
    for (std::size_t w = 0; w < windows.size(); ++w) {
      Process& process = processes_[windows[w].process];
      process.windows.push_back(w);
      process.latest_ends.push_back(process.latest_ends.empty() ? windows[w].end
                                                                : std::max(process.latest_ends.back(), windows[w].end));
    }
  }
  /// The step of a process at that time; kNoStep if there is none. If the process has no windows at all, and process
  /// ids need not be the same, the step of any process.
  std::size_t at(std::int64_t time, std::uint32_t process) const {
    const auto found = processes_.find(process);
    if (found != processes_.end()) return at(time, found->second);
    return same_process_ids_ ? kNoStep : at(time);
  }
  /// The step of the process with the lowest id that has one at that time; kNoStep if there is none.
  std::size_t at(std::int64_t time) const {
    for (const auto& [id, process] : processes_)
      if (const std::size_t w = at(time, process); w != kNoStep) return w;
    return kNoStep;
  }

 private:
  struct Process {
    std::vector<std::size_t> windows;       ///< by start
    std::vector<std::int64_t> latest_ends;  ///< the latest end among the windows up to each position
  };
  /// The innermost window at that time: the one that starts last, the later in order on a tie. kNoStep if there is
  /// none.
  std::size_t at(std::int64_t time, const Process& process) const {
    const auto later = std::upper_bound(process.windows.begin(), process.windows.end(), time,
                                        [&](std::int64_t t, std::size_t w) { return t < windows_[w].start; });
    for (auto i = static_cast<std::size_t>(later - process.windows.begin()); i-- > 0 && process.latest_ends[i] > time;)
      if (windows_[process.windows[i]].end > time) return process.windows[i];
    return kNoStep;
  }

  const std::vector<StepWindow>& windows_;
  bool same_process_ids_;
  std::map<std::uint32_t, Process> processes_;
};

/// The launch of each correlation id: the first one in the file.
class LaunchFinder {
 public:
  /// Sorts the launches by correlation id.
  explicit LaunchFinder(std::vector<Launch>& launches) : launches_(launches) {
    std::stable_sort(launches.begin(), launches.end(),
                     [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
  }
  /// The launch of a device operation; null if it has no correlation id, or no launch has the same one.
  const Launch* of(const DeviceOperation& operation) const {
    if (operation.correlation == DeviceOperation::kNoCorrelation) return nullptr;
    const auto found = std::lower_bound(launches_.begin(), launches_.end(), operation.correlation,
                                        [](const Launch& launch, std::int64_t id) { return launch.correlation < id; });
    return found != launches_.end() && found->correlation == operation.correlation ? &*found : nullptr;
  }

 private:
  const std::vector<Launch>& launches_;
};

constexpr std::int64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond;

/// The time between the first and the last event on the host; empty (first > last) without events.
struct HostTime {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();

  explicit HostTime(const Timeline& timeline) {
    for (const StepWindow& window : timeline.windows) add(window.start, window.end);
    for (const Launch& launch : timeline.launches) add(launch.start, launch.start);
    for (const HostOperation& host : timeline.host) add(host.start, saturated_sum(host.start, host.duration));
  }
  /// Whether an operation is so far outside that its times must be wrong.
  bool excludes(const DeviceOperation& operation, bool has_launch) const {
    if (first > last) return false;
    const std::int64_t end = saturated_sum(operation.start, operation.duration);
    return saturated_sum(end, has_launch ? kSecond : kHour) < first || operation.start > saturated_sum(last, kHour);
  }

 private:
  void add(std::int64_t start, std::int64_t end) {
    first = std::min(first, start);
    last = std::max(last, end);
  }
};

/// Clips operations at the start of the next one of their lane if they end after it, as remove_impossible_times() says.
/// Returns how many. `device` is ordered by lane, then by start.
std::uint64_t clip_late_ends(std::vector<DeviceOperation>& device) {
  std::uint64_t clipped = 0;
  for (std::size_t i = 0; i + 1 < device.size(); ++i) {
    DeviceOperation& operation = device[i];
    const DeviceOperation& next = device[i + 1];
    const bool one_launch =
        operation.correlation == next.correlation && operation.correlation != DeviceOperation::kNoCorrelation;
    if (operation.lane != next.lane || one_launch || operation.start == next.start || next.duration == 0) continue;
    if (saturated_sum(operation.start, operation.duration) <= saturated_sum(next.start, next.duration)) continue;
    operation.duration = next.start - operation.start;
    ++clipped;
  }
  return clipped;
}

/// Finds the step whose device range on a lane contains an instant: for operations without a launch.
class RangeFinder {
 public:
  /// A device range belongs to the first window whose key is the range's name; other ranges are left out.
  RangeFinder(const Timeline& timeline) {
    std::unordered_map<std::string, std::size_t> by_key;
    for (std::size_t w = 0; w < timeline.windows.size(); ++w) by_key.emplace(timeline.windows[w].key, w);
    for (const DeviceRange& range : timeline.device_ranges)
      if (const auto step = by_key.find(timeline.names[range.name]); step != by_key.end())
        lanes_[range.lane].push_back({range.start, range.end, step->second});
    for (auto& [lane, ranges] : lanes_)
      std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.start < b.start; });
  }
  /// The step of the last range on the lane that starts at or before `time`; kNoStep if there is none, or if it has
  /// ended.
  std::size_t at(std::int64_t time, std::uint32_t lane) const {
    const auto found = lanes_.find(lane);
    if (found == lanes_.end()) return kNoStep;
    const auto later = std::upper_bound(found->second.begin(), found->second.end(), time,
                                        [](std::int64_t t, const Range& range) { return t < range.start; });
    return later != found->second.begin() && std::prev(later)->end > time ? std::prev(later)->step : kNoStep;
  }

 private:
  struct Range {
    std::int64_t start, end;
    std::size_t step;
  };
  std::unordered_map<std::uint32_t, std::vector<Range>> lanes_;
};

/// Operations added up by name, most time first, ties by name.
class OperationSums {
 public:
  /// Adds calls of a name, with their time in ns.
  void add(std::uint32_t name, std::uint64_t count, std::int64_t ns) {
    Sum& sum = sums_[name];
    sum.count += count;
    sum.ns = saturated_sum(sum.ns, ns);
  }
  /// The sums, most time first, ties by name. `names` contains every name that was added.
  std::vector<Operation> finish(const NameTable& names) const {
    std::vector<Operation> operations;
    for (const auto& [name, sum] : sums_) operations.push_back({.name = names[name], .count = sum.count, .ns = sum.ns});
    std::sort(operations.begin(), operations.end(),
              [](const Operation& a, const Operation& b) { return a.ns != b.ns ? a.ns > b.ns : a.name < b.name; });
    return operations;
  }

 private:
  struct Sum {
    std::uint64_t count = 0;
    std::int64_t ns = 0;
  };
  std::unordered_map<std::uint32_t, Sum> sums_;
};

/// Length of the union of half-open intervals [start, start + duration), each given as (start, duration). Sorts
/// `intervals`.
std::int64_t union_length(std::vector<std::pair<std::int64_t, std::int64_t>>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::int64_t total = 0, reached = std::numeric_limits<std::int64_t>::min();
  for (const auto& [start, duration] : intervals) {
    const std::int64_t end = start + duration, from = std::max(start, reached);
    if (end <= from) continue;
    total += end - from;
    reached = end;
  }
  return total;
}

/// Sums of a step's device operations.
struct DeviceSums {
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals;  ///< start, duration
  std::int64_t sum = 0;
  std::uint64_t weak = 0;
  std::int64_t weak_sum = 0;
  OperationSums kernels;

  /// Sets the device times and counts of `step`. Without operations, the span is not set and other times are 0. Sorts
  /// `intervals`.
  void write(ProfiledStep& step, const NameTable& names) {
    step.gpu_ops = intervals.size();
    step.gpu_sum_ns = sum;
    step.weak_gpu_ops = weak;
    step.weak_gpu_sum_ns = weak_sum;
    step.kernels = kernels.finish(names);
    if (!intervals.empty()) {
      std::int64_t first = intervals.front().first, last = first;
      for (const auto& [start, duration] : intervals) {
        first = std::min(first, start);
        last = std::max(last, start + duration);
      }
      step.gpu_span_ns = last - first;
    }
    step.gpu_busy_ns = union_length(intervals);
  }
};

/// Adds an operation that belongs to the step by its launch.
void add_operation(DeviceSums& sums, const DeviceOperation& operation) {
  sums.intervals.emplace_back(operation.start, operation.duration);
  sums.sum = saturated_sum(sums.sum, operation.duration);
  sums.kernels.add(operation.name, 1, operation.duration);
}

/// Sums by step, and counts of operations: without a launch in the file, launched outside of steps, in no step at all.
struct Attribution {
  std::vector<DeviceSums> steps;
  std::int64_t without_launch = 0, launched_outside_steps = 0;
  std::uint64_t in_no_step = 0;
};

/// Attributes device operations to steps by the rules of attribute_to_steps(). Windows are ordered by start. Sorts
/// `timeline.launches`.
Attribution attribute_device(Timeline& timeline) {
  Attribution out;
  out.steps.resize(timeline.windows.size());
  const WindowFinder windows(timeline);
  const LaunchFinder launches(timeline.launches);
  const RangeFinder ranges(timeline);
  for (const DeviceOperation& operation : timeline.device) {
    const Launch* const launch = launches.of(operation);
    std::size_t step = kNoStep;
    if (launch != nullptr)
      step = windows.at(launch->start, launch->process);
    else if ((step = ranges.at(operation.start, operation.lane)) == kNoStep)
      step = windows.at(operation.start);
    (launch == nullptr ? out.without_launch : out.launched_outside_steps) +=
        launch == nullptr || step == kNoStep ? 1 : 0;
    if (step == kNoStep) {
      ++out.in_no_step;
    } else if (launch == nullptr) {
      ++out.steps[step].weak;
      out.steps[step].weak_sum = saturated_sum(out.steps[step].weak_sum, operation.duration);
    } else {
      add_operation(out.steps[step], operation);
    }
  }
  return out;
}

/// Adds the names of the ranges that start inside a step, each once, in order of time; at most kMost, because each is
/// matched against a name pattern. `steps`: one per window.
void add_labels(Timeline& timeline, std::vector<ProfiledStep>& steps) {
  constexpr std::size_t kMost = 64;
  std::stable_sort(timeline.labels.begin(), timeline.labels.end(),
                   [](const HostRange& a, const HostRange& b) { return a.start < b.start; });
  const WindowFinder windows(timeline);
  for (const HostRange& range : timeline.labels) {
    const std::size_t step = windows.at(range.start, range.process);
    if (step == kNoStep || steps[step].labels.size() >= kMost) continue;
    std::vector<std::string>& labels = steps[step].labels;
    const std::string& name = timeline.names[range.name];
    if (std::find(labels.begin(), labels.end(), name) == labels.end()) labels.push_back(name);
  }
}

// --- host operators: their self time within steps

/// An interval of one thread's time with its innermost operator.
struct Segment {
  std::int64_t start, end;
  std::uint32_t name;
};
struct Gap {
  std::int64_t start, end;
};

/// The segments of one thread, in order, from its operators ordered by start, longer first. Every instant belongs to
/// one operator, even if a clock makes a child end after its parent.
class InnermostSegments {
 public:
  /// `operations`: of one thread, by start, longer first.
  explicit InnermostSegments(std::span<const HostOperation> operations) {
    for (const HostOperation& operation : operations) {
      close_until(operation.start);
      if (!open_.empty()) emit(operation.start);
      now_ = std::max(now_, operation.start);
      open_.push_back({operation.start, operation.start + operation.duration, operation.name});
    }
    close_until(std::numeric_limits<std::int64_t>::max());
  }
  const std::vector<Segment>& all() const { return segments_; }

 private:
  /// Closes the innermost open operators that end at or before `time`, and emits their last segments.
  void close_until(std::int64_t time) {
    while (!open_.empty() && open_.back().end <= time) {
      emit(open_.back().end);
      open_.pop_back();
    }
  }
  /// Adds the segment of the innermost open operator from now_ to `until`; nothing if that is empty.
  void emit(std::int64_t until) {
    if (until <= now_) return;
    segments_.push_back({now_, until, open_.back().name});
    now_ = until;
  }

  std::vector<Segment> open_, segments_;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
};

/// Adds the parts of `gaps` that segments cover to `sums`; the other parts remain in `gaps`.
void attribute_gaps(std::vector<Gap>& gaps, const std::vector<Segment>& segments, OperationSums& sums) {
  std::vector<Gap> left;
  for (Gap gap : gaps) {
    auto segment =
        std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) { return s.end <= gap.start; });
    for (; segment != segments.end() && segment->start < gap.end; ++segment) {
      const std::int64_t from = std::max(segment->start, gap.start), until = std::min(segment->end, gap.end);
      if (from > gap.start) left.push_back({gap.start, from});
      sums.add(segment->name, 0, until - from);
      gap.start = until;
    }
    if (gap.start < gap.end) left.push_back(gap);
  }
  gaps = std::move(left);
}

/// One step: the time not yet covered by any thread's operators, and the sums so far.
struct StepSums {
  std::vector<Gap> gaps;
  OperationSums sums;
};

/// One thread's operators, in the order that InnermostSegments requires.
using Thread = std::span<const HostOperation>;

/// Sorts the operators by thread, then by start, longer first, and returns each thread's part of `host`.
std::vector<Thread> threads_of(std::vector<HostOperation>& host) {
  std::sort(host.begin(), host.end(), [](const HostOperation& a, const HostOperation& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  });
  std::vector<Thread> threads;
  for (auto begin = host.begin(); begin != host.end();) {
    const auto end = std::find_if(begin, host.end(), [&](const HostOperation& o) { return o.thread != begin->thread; });
    threads.emplace_back(&*begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return threads;
}

/// Counts the calls of operators that start in the window; adds no time.
void count_started(Thread thread, const StepWindow& window, OperationSums& sums) {
  auto operation = std::partition_point(thread.begin(), thread.end(),
                                        [&](const HostOperation& o) { return o.start < window.start; });
  for (; operation != thread.end() && operation->start < window.end; ++operation) sums.add(operation->name, 1, 0);
}

/// Fills `operators` of the steps, one step for each of `timeline.windows`, with counts of calls that start in the
/// window and with self times, by the rules of attribute_to_steps(). Sorts `timeline.host`. Does nothing if no host
/// operators were recorded.
void add_self_times(Timeline& timeline, std::vector<ProfiledStep>& steps) {
  if (timeline.host.empty()) return;
  std::vector<StepSums> sums(steps.size());
  for (std::size_t w = 0; w < steps.size(); ++w)
    sums[w].gaps.push_back({timeline.windows[w].start, timeline.windows[w].end});
  const std::vector<Thread> threads = threads_of(timeline.host);
  for (const bool own : {true, false})  // a step's own thread has priority
    for (const Thread thread : threads) {
      const std::uint32_t id = thread.front().thread;
      const auto wanted = [&](const StepWindow& window) {
        return window.process == timeline.process_of_thread[id] && (window.thread == id) == own;
      };
      if (std::none_of(timeline.windows.begin(), timeline.windows.end(), wanted)) continue;
      const InnermostSegments segments(thread);
      for (std::size_t w = 0; w < steps.size(); ++w) {
        if (!wanted(timeline.windows[w])) continue;
        attribute_gaps(sums[w].gaps, segments.all(), sums[w].sums);
        count_started(thread, timeline.windows[w], sums[w].sums);
      }
    }
  const std::uint32_t outside = timeline.names.id(kOutsideOperators);
  for (std::size_t w = 0; w < steps.size(); ++w) {
    for (const Gap& gap : sums[w].gaps) sums[w].sums.add(outside, 0, gap.end - gap.start);
    steps[w].operators = sums[w].sums.finish(timeline.names);
  }
}

// --- steps of several processes

/// The steps of a process, and the time span that they cover.
struct ProcessSteps {
  std::int64_t start = std::numeric_limits<std::int64_t>::max(), end = std::numeric_limits<std::int64_t>::min();
  StepProfile steps;
};

/// Moves the steps of `profile`, one per window, into groups by process, ordered by start. The process id is the rank.
std::vector<ProcessSteps> steps_by_process(const std::vector<StepWindow>& windows, StepProfile& profile) {
  std::map<std::uint32_t, ProcessSteps> processes;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    ProcessSteps& process = processes[windows[w].process];
    process.start = std::min(process.start, windows[w].start);
    process.end = std::max(process.end, windows[w].end);
    process.steps.source = profile.source;
    process.steps.rank = windows[w].process;
    process.steps.steps.push_back(std::move(profile.steps[w]));
  }
  std::vector<ProcessSteps> out;
  for (auto& [id, process] : processes) out.push_back(std::move(process));
  std::stable_sort(out.begin(), out.end(),
                   [](const ProcessSteps& a, const ProcessSteps& b) { return a.start < b.start; });
  return out;
}

/// Merges the steps of processes that ran at the same time, as ranks of one job; processes that ran one after another
/// are not. Does nothing for a single process. `profile` has one step per window, in their order.
void merge_processes(const std::vector<StepWindow>& windows, StepProfile& profile) {
  if (std::ranges::all_of(windows, [&](const StepWindow& w) { return w.process == windows.front().process; })) return;
  std::vector<ProcessSteps> processes = steps_by_process(windows, profile);
  std::vector<ProfiledStep> steps;
  std::set<std::string> notes;
  for (std::size_t p = 0; p < processes.size();) {
    std::vector<StepProfile> together;
    for (std::int64_t end = processes[p].end; p < processes.size() && (together.empty() || processes[p].start < end);
         ++p) {
      end = std::max(end, processes[p].end);
      together.push_back(std::move(processes[p].steps));
    }
    for (const std::string& note : merge_ranks(together, profile.findings))
      if (notes.insert(note).second)
        profile.notes.push_back(fmt::format("{}: processes at the same time: {}", profile.source, note));
    std::ranges::move(together.front().steps, std::back_inserter(steps));
  }
  profile.steps = std::move(steps);
}

}  // namespace

std::uint32_t NameTable::id(std::string_view name) {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  const auto added = ids_.emplace(std::string(name), static_cast<std::uint32_t>(names_.size())).first;
  names_.push_back(&added->first);
  return added->second;
}

void remove_impossible_times(Timeline& timeline, StepProfile& profile) {
  const LaunchFinder launches(timeline.launches);
  const HostTime host(timeline);
  const std::size_t outside = std::erase_if(timeline.device, [&](const DeviceOperation& operation) {
    return host.excludes(operation, launches.of(operation) != nullptr);
  });
  if (outside > 0)
    profile.notes.push_back(
        fmt::format("{}: {} outside of the time of the trace, left out; the profiler wrote wrong "
                    "times",
                    profile.source, counted(outside, "device operation")));
  if (!timeline.lanes_are_in_order) return;
  std::stable_sort(timeline.device.begin(), timeline.device.end(),
                   [](const DeviceOperation& a, const DeviceOperation& b) {
                     return a.lane != b.lane ? a.lane < b.lane : a.start < b.start;
                   });
  if (const std::uint64_t clipped = clip_late_ends(timeline.device); clipped > 0)
    profile.notes.push_back(fmt::format(
        "{}: {} after the next one of the stream had ended, and counts until that one "
        "starts; the profiler wrote late ends",
        profile.source, clipped == 1 ? "1 device operation ends" : fmt::format("{} device operations end", clipped)));
}

void attribute_to_steps(Timeline&& timeline, StepProfile& profile) {
  remove_impossible_times(timeline, profile);
  std::stable_sort(timeline.windows.begin(), timeline.windows.end(),
                   [](const StepWindow& a, const StepWindow& b) { return a.start < b.start; });
  Attribution device = attribute_device(timeline);
  for (std::size_t w = 0; w < timeline.windows.size(); ++w) {
    ProfiledStep step;
    step.key = timeline.windows[w].key;
    step.host_ns = timeline.windows[w].end - timeline.windows[w].start;
    device.steps[w].write(step, timeline.names);
    profile.steps.push_back(std::move(step));
  }
  add_labels(timeline, profile.steps);
  add_self_times(timeline, profile.steps);
  merge_processes(timeline.windows, profile);
  profile.unattributed_gpu_ops += device.in_no_step;
  profile.facts.emplace_back("gpu_ops_without_launch", device.without_launch);
  profile.facts.emplace_back("gpu_ops_outside_steps", device.launched_outside_steps);
}

void add_timeline_as_step(Timeline&& timeline, const std::string& key, StepProfile& profile) {
  remove_impossible_times(timeline, profile);
  DeviceSums sums;
  for (const DeviceOperation& operation : timeline.device) add_operation(sums, operation);
  ProfiledStep step;
  step.key = key;
  sums.write(step, timeline.names);
  profile.steps.push_back(std::move(step));
}

}  // namespace seqpoint::profile
