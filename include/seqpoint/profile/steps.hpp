/// \file
/// Stage 5: what a profiler recorded, step by step. Times are whole nanoseconds, from the file's text to the sums.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/select/point_key.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::profile {

/// What is taken as the time of a step. The kinds can differ by a multiple (a host range ends when the CPU has issued
/// its work, not when the GPU has done it), so a projection uses one kind only.
enum class TimeKind {
  host,      ///< the step on the CPU that issued it
  gpu_busy,  ///< union of its device operations' intervals, over all streams and devices of the file
  gpu_sum,   ///< sum of their durations
  gpu_span   ///< from the first's start to the last's end
};
/// All kinds of time with their words, in the order in which they are preferred.
inline constexpr std::array<Word<TimeKind>, 4> kTimeKinds{
    {{"host", TimeKind::host, "the step on the CPU"},
     {"gpu-busy", TimeKind::gpu_busy, "the union of its device operations"},
     {"gpu-sum", TimeKind::gpu_sum, "their sum"},
     {"gpu-span", TimeKind::gpu_span, "from the first start to the last end"}}};
/// The word of a kind of time.
inline std::string_view name_of(TimeKind kind) { return name_in(kTimeKinds, kind); }

/// Which point or iteration a step measures, as far as it is known.
struct StepIdentity {
  std::string point;                         ///< a point's id; empty: not said
  select::PointKey key;                      ///< the parts of its signature that are known
  std::optional<std::uint64_t> iteration{};  ///< of the run, not the profiler's own step number
  std::optional<std::uint64_t> phase{};      ///< of the run, from 0

  /// The length that points of a run of that kind are found by; nothing: not known.
  const std::optional<std::uint64_t>& length(trace::SignatureKind kind) const {
    return key[trace::length_dimension(kind)];
  }
  /// Whether nothing is known that a point can be found by.
  bool empty() const { return point.empty() && !key.src_len && !key.tokens && !iteration; }
  friend bool operator==(const StepIdentity&, const StepIdentity&) = default;  ///< member by member
};

/// An operator or kernel within a step: all calls of one name.
struct Operation {
  std::string name;                                                      ///< as the profiler writes it
  std::uint64_t count = 0;                                               ///< calls
  std::int64_t ns = 0;                                                   ///< nanoseconds of all calls together
  friend bool operator==(const Operation&, const Operation&) = default;  ///< member by member
};

/// The name under which operators list the time outside of all of them, so that the rows add up to the step.
inline constexpr std::string_view kOutsideOperators = "(outside operators)";

/// Iterations of a run, as a line of a job's log has them: from 0.
struct IterationSpan {
  std::uint64_t first = 0,  ///< the first of them
      last = 0;             ///< the last of them, not before the first
};

/// One profiler step. Times are nanoseconds; a kind of time that the profile does not have is nothing.
struct ProfiledStep {
  std::string key;                  ///< as the profile names it: "ProfilerStep#5", a range, a benchmark
  std::vector<std::string> labels;  ///< names of ranges inside it, in order of time: they may say which iteration it is
  StepIdentity identity;            ///< from the profile's own fields, not from names
  std::uint64_t line = 0;           ///< 1-based; 0 where the format has no lines

  std::optional<std::int64_t> host_ns,   ///< TimeKind::host
      gpu_busy_ns,                       ///< TimeKind::gpu_busy
      gpu_sum_ns,                        ///< TimeKind::gpu_sum
      gpu_span_ns;                       ///< TimeKind::gpu_span
  std::optional<std::uint64_t> gpu_ops;  ///< kernels, copies, memsets that the step launched
  std::uint64_t gpu_kernels = 0;         ///< those of them that are kernels
  /// Device operations that ran during the step, with no launch in the file; not in gpu_ops or gpu_*_ns.
  std::uint64_t weak_gpu_ops = 0;
  std::int64_t weak_gpu_sum_ns = 0;  ///< sum of their durations
  std::uint64_t repeats = 1;         ///< executions that a time is the mean or median of
  /// The iterations that a line of a job's log is of, a time being their mean. `identity` is empty where one of
  /// them alone has no time.
  std::optional<IterationSpan> iterations{};
  bool warmup = false;  ///< not a measurement: mark_warmup(), or the profile says so
  bool stub = false;    ///< the beginning of a step that was cut off by the end of profiling: no measurement

  std::vector<double> values;  ///< one per StepProfile::metrics; NaN: not measured
  /// Operators with their self time on the host, most first; they add up to host_ns. Empty where not recorded.
  std::vector<Operation> operators;
  /// Device operations, most first; they add up to gpu_sum_ns. Empty where not recorded.
  std::vector<Operation> kernels;

  /// The time of that kind in nanoseconds; nothing: the profile does not have it.
  std::optional<std::int64_t> time(TimeKind kind) const;
};

/// A profile as one file holds it, whatever profiler wrote it.
struct StepProfile {
  std::string source,                      ///< its file, for errors
      format;                              ///< name of the reader
  std::vector<ProfiledStep> steps;         ///< in the order in which they ran, stubs and warm-up among them
  std::vector<std::string> metrics;        ///< counters and other numbers besides the times
  std::vector<std::string> means;          ///< those of them that are means over time: they do not add up over a run
  std::uint64_t unattributed_gpu_ops = 0;  ///< that belong to no step, not even weakly
  std::optional<std::uint64_t> rank;       ///< of the process in a distributed run, where the file says so
  std::vector<std::pair<std::string, std::int64_t>> facts;  ///< other counts, by name
  std::vector<std::string> notes;                           ///< what the user should be told
  bool of_log = false;                                      ///< a job's log: its steps have `iterations`
  bool counts_optimiser_steps = false;                      ///< and these are the run's optimiser steps

  /// Whether any step has a time of that kind above zero.
  bool has(TimeKind kind) const;
  /// The first kind it has, in the order of TimeKind; nothing if it has counters only.
  std::optional<TimeKind> first_kind() const;
};

/// Sets ProfiledStep::stub where a profiler stopped inside a step: a step without device work in a file that has some,
/// of less than 5 % of the median host time. In a file without device work only the last step can be a stub.
void mark_stubs(StepProfile& profile);

/// Merges profiles of several ranks of one run: steps of the same name become one step with the time of the slowest
/// rank (for each kind of time separately). Metrics add up; operations are those of the rank with the longest host
/// time. Profiles without a rank, of a single rank, or with other metrics than the first, stay as they are. Returns
/// notes for the user.
std::vector<std::string> merge_ranks(std::vector<StepProfile>& profiles);

/// Sets ProfiledStep::warmup of the first `count` steps that are no stubs.
void mark_warmup(StepProfile& profile, std::uint64_t count);

}  // namespace seqpoint::profile
