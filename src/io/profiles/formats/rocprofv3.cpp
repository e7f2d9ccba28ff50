// rocprofv3's CSVs (ROCm/rocm-systems, projects/rocprofiler-sdk/source/lib/output/generateCSV.cpp). A run writes one
// file a kind, NAME_kernel_trace.csv beside NAME_marker_api_trace.csv and NAME_hip_api_trace.csv: from any kernel trace
// the others are found.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/profile/timeline.hpp"
#include "io/profiles/engine/metric_columns.hpp"
#include "io/profiles/engine/report_table.hpp"
#include "io/profiles/engine/rocm_kernels.hpp"
#include "io/profiles/engine/step_windows.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

constexpr std::string_view kKernelTrace = "_kernel_trace.csv";

std::set<std::string> header_of(std::string_view head) {
  std::set<std::string> names;
  for (const std::string& field : text::header_fields(head, text::kCommas)) names.insert(engine::normalised(field));
  return names;
}

bool is_rocprofv3(const ProfileProbe& probe) {
  const std::set<std::string> names = header_of(probe.head);
  const bool timed = names.contains("starttimestamp") && names.contains("endtimestamp");
  return (names.contains("kernelname") && (timed || names.contains("countername"))) ||
         (names.contains("domain") && names.contains("function") && timed);
}

class Rocprofv3Reader {
 public:
  explicit Rocprofv3Reader(ProfileInput& input) : input_(input), metrics_(profile_) {
    profile_.source = input.name();
    profile_.format = kRocprofv3.name;
  }

  profile::StepProfile read() {
    engine::ReportTable table(input_.name(), input_.text());
    if (table.find("countername")) {
      read_counters(table);
    } else if (table.find("kernelname")) {
      read_kernels(table);
      read_companions();
      attribute_to_steps();
    } else {
      read_calls(table);
      attribute_to_steps();
    }
    return std::move(profile_);
  }

 private:
  struct Times {
    std::size_t start, end;
  };
  static Times times_of(const engine::ReportTable& table) {
    const auto start = table.find("starttimestamp"), end = table.find("endtimestamp");
    if (!start || !end)
      throw InputError({table.source(), 1}, "has no columns Start_Timestamp and End_Timestamp",
                       "is it of this rocprofv3 run?");
    return {*start, *end};
  }

  void read_kernels(engine::ReportTable& table) {
    const Times times = times_of(table);
    const std::size_t name = table.require("kernelname");
    const auto correlation = table.find("correlationid");
    while (table.next()) {
      const std::int64_t start = table.integer(times.start);
      const std::int64_t id = correlation ? table.integer(*correlation) : profile::DeviceOperation::kNoCorrelation;
      timeline_.device.push_back({.start = start,
                                  .duration = engine::duration_between(table, start, times.end),
                                  .correlation = id,
                                  .name = timeline_.names.id(engine::kernel_name(table.text(name)))});
    }
    table.require_complete();
    if (timeline_.device.empty())
      throw InputError({input_.name()}, "has a header but no kernels", "check how it was made");
  }

  /// Markers become ranges, calls of HIP launches.
  void read_calls(engine::ReportTable& table) {
    const Times times = times_of(table);
    const auto domain = table.find("domain"), function = table.find("function"), process = table.find("processid"),
               thread = table.find("threadid"), correlation = table.find("correlationid");
    if (!domain || !function)
      throw InputError({table.source(), 1}, "has no columns Domain and Function", "is it of this rocprofv3 run?");
    while (table.next()) {
      const std::int64_t start = table.integer(times.start), length = engine::duration_between(table, start, times.end);
      const std::uint32_t of = process_id(process ? table.text(*process) : "");
      if (!table.text(*domain).starts_with("MARKER")) {
        if (correlation)
          timeline_.launches.push_back({.correlation = table.integer(*correlation), .start = start, .process = of});
      } else if (length > 0) {  // a mark has no duration
        const std::uint32_t on = thread_id(fmt::format("{} of {}", thread ? table.text(*thread) : "", of), of);
        ranges_.push_back({.start = start,
                           .end = start + length,
                           .name = timeline_.names.id(table.text(*function)),
                           .process = of,
                           .thread = on});
      }
    }
    table.require_complete();
  }

  std::uint32_t process_id(const std::string& name) {
    return static_cast<std::uint32_t>(processes_.try_emplace(name, processes_.size()).first->second);
  }
  std::uint32_t thread_id(const std::string& name, std::uint32_t process) {
    const auto id = static_cast<std::uint32_t>(threads_.try_emplace(name, threads_.size()).first->second);
    if (id == timeline_.process_of_thread.size()) timeline_.process_of_thread.push_back(process);
    return id;
  }

  void read_companions() {
    const std::string& path = input_.name();
    if (!path.ends_with(kKernelTrace)) return;
    const std::string stem = path.substr(0, path.size() - kKernelTrace.size());
    for (const char* const kind : {"_marker_api_trace.csv", "_hip_api_trace.csv"}) {
      if (!input_.files().exists(stem + kind)) continue;
      stream::Input companion = input_.files().open(stem + kind);
      const std::string text = companion.read_all();
      engine::ReportTable table(stem + kind, text);
      read_calls(table);
      profile_.notes.push_back(fmt::format("{}: read with {}{}", input_.name(), stem, kind));
    }
  }

  void attribute_to_steps() {
    if (ranges_.empty() && name_steps_by_kernels()) return;
    engine::choose_steps(std::move(ranges_), input_.rules(), timeline_, profile_);
    if (timeline_.windows.empty()) {
      if (timeline_.device.empty()) return;
      profile_.notes.push_back(input_.name() + ": the file is taken as one step");
      return profile::add_timeline_as_step(std::move(timeline_), input_.stem(), profile_);
    }
    if (timeline_.launches.empty() && !timeline_.device.empty()) assume_launch_at_start();
    profile::attribute_to_steps(std::move(timeline_), profile_);
  }

  /// Without a HIP trace the time of a launch is unknown. If every iteration waits for its kernels, each was launched
  /// in the range in which it ran.
  void assume_launch_at_start() {
    profile_.notes.push_back(input_.name() +
                             ": without a HIP trace, kernels count for the range in which they ran: right only if "
                             "every iteration synchronises");
    for (std::size_t k = 0; k < timeline_.device.size(); ++k) {
      timeline_.device[k].correlation = static_cast<std::int64_t>(k);
      timeline_.launches.push_back({.correlation = static_cast<std::int64_t>(k),
                                    .start = timeline_.device[k].start,
                                    .process = timeline_.windows.front().process});
    }
  }

  /// --kernel-rename puts the range's name in place of the kernel's.
  bool name_steps_by_kernels() {
    std::map<std::uint32_t, profile::Timeline> by_name;
    for (const profile::DeviceOperation& operation : timeline_.device) {
      if (!input_.rules().names_step(timeline_.names[operation.name])) return false;
      profile::Timeline& part = by_name[operation.name];
      part.device.push_back(operation);
      part.device.back().name = part.names.id(timeline_.names[operation.name]);
    }
    for (auto& [name, part] : by_name) profile::add_timeline_as_step(std::move(part), timeline_.names[name], profile_);
    return !by_name.empty();
  }

  /// A row a dispatch and counter: times are those of the dispatch, once.
  void read_counters(engine::ReportTable& table) {
    const std::size_t name = table.require("kernelname"), counter = table.require("countername");
    const auto value = table.find("countervalue"), dispatch = table.find("dispatchid"),
               process = table.find("processid"), agent = table.find("agentid");
    const auto start = table.find("starttimestamp"), end = table.find("endtimestamp");
    if (!value || !dispatch)
      throw InputError({input_.name(), 1}, "has no columns Dispatch_Id and Counter_Value", "is the file whole?");
    std::set<std::string> seen;
    profile::ProfiledStep sums;
    while (table.next()) {
      const text::Number number = text::parse_number(table.raw(*value));
      if (number.fault != text::NumberFault::none) table.fail(*value, text::describe(number.fault, table.raw(*value)));
      metrics_.add(sums, table.text(counter), number.value);
      if (!seen.insert((process ? table.text(*process) : "") + '/' + (agent ? table.text(*agent) : "") + '/' +
                       table.text(*dispatch))
               .second)
        continue;
      const std::int64_t from = start && end ? table.integer(*start) : 0;
      timeline_.device.push_back({.start = from,
                                  .duration = start && end ? engine::duration_between(table, from, *end) : 0,
                                  .name = timeline_.names.id(engine::kernel_name(table.text(name)))});
    }
    table.require_complete();
    if (timeline_.device.empty())
      throw InputError({input_.name()}, "has a header but no counters", "check how it was made");
    profile::add_timeline_as_step(std::move(timeline_), input_.stem(), profile_);
    profile_.steps.back().values = std::move(sums.values);
    if (!start || !end)
      profile_.steps.back().gpu_sum_ns = profile_.steps.back().gpu_busy_ns = profile_.steps.back().gpu_span_ns =
          std::nullopt;
    metrics_.finish();
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  engine::MetricColumns metrics_;
  profile::Timeline timeline_;
  std::vector<engine::NamedRange> ranges_;
  std::map<std::string, std::size_t> processes_, threads_;
};

profile::StepProfile read_rocprofv3(ProfileInput& input) { return Rocprofv3Reader(input).read(); }

}  // namespace

const ProfileReader kRocprofv3{
    .name = "rocprofv3",
    .summary = "rocprofv3's CSVs: a kernel trace with the marker and HIP traces beside it, a marker trace, or counters",
    .example = R"("Kind","Agent_Id",...,"Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp",...)",
    .recognises = is_rocprofv3,
    .read = read_rocprofv3,
};

}  // namespace seqpoint::io::profiles::formats
