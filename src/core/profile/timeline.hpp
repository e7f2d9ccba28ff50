/// \file
/// Events on host threads and devices, and the profiler step that each belongs to. Readers of all profilers'
/// traces fill it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Numbers for names, so that an event needs four bytes for its name.
class NameTable {
 public:
  /// The number of a name; numbers are assigned from 0 in order of appearance.
  std::uint32_t id(std::string_view name);
  /// The name for a number from id(). Owned by the table.
  const std::string& operator[](std::uint32_t id) const { return *names_[id]; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> names_;  ///< keys of `ids_`
};

/// A profiler step as a range of time on a host thread. Here and below, times are ns on one clock, and ids of
/// processes, threads and lanes are assigned by the reader, in order of appearance.
struct StepWindow {
  std::string key;            ///< name of the step in the profile
  std::int64_t start = 0,     ///< ns
      end = 0;                ///< ns; not part of the window
  std::uint32_t process = 0,  ///< that the step runs in
      thread = 0;             ///< that runs the step
};
/// A call on the host that starts device work.
struct Launch {
  std::int64_t correlation = 0,  ///< DeviceOperation::correlation of the work that it launches
      start = 0;                 ///< ns
  std::uint32_t process = 0;     ///< that makes the call
};
/// A kernel, copy or memset on a device.
struct DeviceOperation {
  static constexpr std::int64_t kNoCorrelation = std::numeric_limits<std::int64_t>::min();  ///< value if the launch is
                                                                                            ///< not known

  std::int64_t start = 0,                     ///< ns
      duration = 0;                           ///< ns
  std::int64_t correlation = kNoCorrelation;  ///< equal to that of its Launch
  std::uint32_t name = 0;                     ///< in Timeline::names
  std::uint32_t lane = 0;                     ///< device and stream
};
/// The extent of a host range on one lane, under the range's name.
struct DeviceRange {
  std::int64_t start = 0,  ///< ns
      end = 0;             ///< ns; not part of the range
  std::uint32_t name = 0,  ///< in Timeline::names
      lane = 0;            ///< device and stream
};
/// An operator on a host thread.
struct HostOperation {
  std::int64_t start = 0,  ///< ns
      duration = 0;        ///< ns, with the operators that it calls
  std::uint32_t name = 0,  ///< in Timeline::names
      thread = 0;          ///< that it runs on
};
/// A named range on the host that is not a step itself.
struct HostRange {
  std::int64_t start = 0,  ///< ns
      duration = 0;        ///< ns
  std::uint32_t name = 0,  ///< in Timeline::names
      process = 0;         ///< that it runs in
};

/// All events of a profile, in any order.
struct Timeline {
  std::vector<StepWindow> windows;               ///< windows of the steps
  std::vector<Launch> launches;                  ///< if several have one correlation, the first counts
  std::vector<DeviceOperation> device;           ///< work on devices
  std::vector<DeviceRange> device_ranges;        ///< host ranges as recorded on devices
  std::vector<HostOperation> host;               ///< operators
  std::vector<HostRange> labels;                 ///< become ProfiledStep::labels
  std::vector<std::uint32_t> process_of_thread;  ///< by HostOperation::thread
  NameTable names;                               ///< names of all events
  /// Whether launches and windows use the same process ids. If not, a launch in a process without windows may belong to
  /// any window: in a container the driver may use another process id than the framework.
  bool same_process_ids = true;
  /// Whether the operations of a lane run one after another, as those of a CUDA stream do. Lines of compiled operators
  /// nest, and a hardware queue serves several streams.
  bool lanes_are_in_order = false;
};

/// Leaves out and clips operations with times that cannot be, with a note for either:
///
/// - One that has ended a second or more before the first event on the host, although its launch is in the file; clocks
///   of hosts and devices differ by less. Without a launch, or after the last event: an hour, because no work waits in
///   a queue for longer.
/// - On a lane in order, one that ends after the next operation of its lane has ended counts until that one starts:
///   profilers may write late ends (AMD-AGI/TraceLens#669). Operations of one launch are the nodes of a graph, whose
///   branches may run at the same time. A partial overlap remains: a dependent kernel may start early.
///
/// Sorts `timeline.launches` and `timeline.device`.
void remove_impossible_times(Timeline& timeline, StepProfile& profile);

/// Fills `profile.steps`, which is empty before, with the steps of a timeline, ordered by start. Adds the facts
/// `gpu_ops_without_launch` and `gpu_ops_outside_steps` (launched while no step ran), and counts operations that belong
/// to no step in `unattributed_gpu_ops`. Begins with remove_impossible_times().
///
/// A device operation belongs to the step whose window (half-open) contains the start of its launch, on any thread of
/// the window's process: backward passes are launched by other threads. If windows are nested, the innermost counts.
/// Without a launch in the file it belongs weakly to the step whose device range contains its start on its lane, else
/// to the step whose window contains its start (HolisticTraceAnalysis, hta/common/trace_parser.py, has the same rule
/// for operations with a launch).
///
/// The time of a step's host operators is their self time: an instant belongs to the innermost operator of the step's
/// own thread or, if that thread is in none, to that of the first other thread of the process that is in one; the
/// remaining instants are kOutsideOperators. So the rows add up to host_ns exactly.
///
/// Steps of processes that ran at the same time are merged as merge_ranks() does.
void attribute_to_steps(Timeline&& timeline, StepProfile& profile);

/// Appends the whole timeline as one step of that name, with all device operations; without a host time.
void add_timeline_as_step(Timeline&& timeline, const std::string& key, StepProfile& profile);

}  // namespace seqpoint::profile
