// ROCm's CSVs with a row a kernel: rocprof v1 (ROCm/rocprofiler, bin/tblextr.py, bin/dform.py), rocprofv2 and
// Omniperf's rewritings of both. The file is one step.
#include <array>
#include <charconv>
#include <cmath>

#include "core/profile/timeline.hpp"
#include "io/profiles/engine/metric_columns.hpp"
#include "io/profiles/engine/report_table.hpp"
#include "io/profiles/engine/rocm_kernels.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

bool has_column(std::string_view head, std::initializer_list<std::string_view> names) {
  for (const std::string& field : text::header_fields(head, text::kCommas))
    for (const std::string_view name : names)
      if (engine::normalised(field) == name) return true;
  return false;
}

bool is_rocprof(const ProfileProbe& probe) {
  return has_column(probe.head, {"kernelname"}) && has_column(probe.head, {"gpuid", "beginns"}) &&
         !has_column(probe.head, {"kind"});
}

/// Columns that describe a launch; what else is a number is a counter.
bool describes_launch(std::string name) {
  constexpr std::array<std::string_view, 40> kColumns{"index",
                                                      "dispatchid",
                                                      "kernelname",
                                                      "gpuid",
                                                      "queueid",
                                                      "queueindex",
                                                      "pid",
                                                      "tid",
                                                      "grd",
                                                      "wgr",
                                                      "lds",
                                                      "scr",
                                                      "archvgpr",
                                                      "accumvgpr",
                                                      "vgpr",
                                                      "sgpr",
                                                      "fbar",
                                                      "wavesize",
                                                      "sig",
                                                      "obj",
                                                      "dispatchns",
                                                      "beginns",
                                                      "endns",
                                                      "completens",
                                                      "durationns",
                                                      "gridsize",
                                                      "workgroupsize",
                                                      "ldsperworkgroup",
                                                      "scratchperworkitem",
                                                      "correlationid",
                                                      "starttimestamp",
                                                      "endtimestamp",
                                                      "starttime",
                                                      "stoptimestamp",
                                                      "xccindex",
                                                      "kernelid",
                                                      "processid",
                                                      "threadid",
                                                      "ldsblocksize",
                                                      "scratchsize"};
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.pop_back();  // Wave_Size_1, of a merged run
  return std::find(kColumns.begin(), kColumns.end(), name) != kColumns.end();
}

std::vector<std::size_t> counter_columns(const engine::ReportTable& table) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns().size(); ++c)
    if (!describes_launch(engine::normalised(table.columns()[c]))) columns.push_back(c);
  return columns;
}

profile::StepProfile read_rocprof(ProfileInput& input) {
  profile::StepProfile profile;
  profile.source = input.name();
  profile.format = kRocprof.name;
  engine::ReportTable table(input.name(), input.text());
  const auto begin = table.find_any({"beginns", "starttimestamp", "starttime"}),
             end = table.find_any({"endns", "endtimestamp", "stoptimestamp"});
  const std::size_t name = table.require("kernelname");
  const std::vector<std::size_t> counters = counter_columns(table);
  profile::Timeline timeline;
  profile::ProfiledStep sums;
  engine::MetricColumns metrics(profile);
  while (table.next()) {
    const std::uint32_t kernel = timeline.names.id(engine::kernel_name(table.text(name)));
    const std::int64_t start = begin && end ? table.nanoseconds(*begin) : 0;
    timeline.device.push_back(
        {.start = start, .duration = begin && end ? engine::duration_between(table, start, *end) : 0, .name = kernel});
    for (const std::size_t c : counters)
      if (const text::Number value = text::parse_number(table.raw(c));
          value.fault == text::NumberFault::none && std::isfinite(value.value))
        metrics.add(sums, table.columns()[c], value.value);
  }
  table.require_complete();
  if (timeline.device.empty()) throw InputError({input.name()}, "has a header but no kernels", "check how it was made");
  profile::add_timeline_as_step(std::move(timeline), input.stem(), profile);
  profile::ProfiledStep& step = profile.steps.back();
  step.values = std::move(sums.values);
  if (!begin || !end) {
    step.gpu_sum_ns = step.gpu_busy_ns = step.gpu_span_ns = std::nullopt;
    profile.notes.push_back(input.name() + ": has no times, only counters; rocprof --timestamp on records them");
  }
  metrics.finish();
  return profile;
}

}  // namespace

const ProfileReader kRocprof{
    .name = "rocprof",
    .summary = "rocprof v1 and v2, and Omniperf: a kernel a row; the file is one step, named after it",
    .example = R"("Index","KernelName","gpu-id",...,"BeginNs","EndNs","CompleteNs","DurationNs")",
    .recognises = is_rocprof,
    .read = read_rocprof,
};

}  // namespace seqpoint::io::profiles::formats
