// rocprofv3's database (ROCm/rocm-systems, projects/rocprofiler-sdk/source/share/rocprofiler-sdk-rocpd/*.sql): its
// views.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "core/profile/timeline.hpp"
#include "io/profiles/engine/step_windows.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

bool is_rocpd(const ProfileProbe& probe) { return probe.has_table("rocpd_metadata"); }

class RocpdReader {
 public:
  explicit RocpdReader(ProfileInput& input) : input_(input), database_(input.require_database()) {
    profile_.source = input.name();
    profile_.format = kRocpd.name;
  }

  profile::StepProfile read() {
    for (const char* const view : {"kernels", "regions"})
      if (!database_.has(view))
        throw InputError({input_.name()}, fmt::format("has no view '{}'", view),
                         "convert it with `rocpd convert`, or export CSV with rocprofv3");
    read_regions();
    read_kernels();
    if (has_only_pops())
      group_by_region();
    else
      attribute_to_steps();
    return std::move(profile_);
  }

 private:
  struct Interval {
    std::int64_t start, duration;
  };
  /// The time of a row with the columns start and end, in ns. Throws InputError for an impossible one.
  Interval interval(const engine::Rows& rows, const char* view) const {
    const std::int64_t start = rows.integer(0), end = rows.integer(1);
    const bool sane =
        start > -text::kFurthestNs && start < text::kFurthestNs && end > -text::kFurthestNs && end < text::kFurthestNs;
    if (!sane || end < start || end - start > text::kLongestNs)
      throw InputError({input_.name(), 0, view}, fmt::format("has an operation from {} to {} ns", start, end),
                       "record it again");
    return {start, end - start};
  }
  /// The number of a process, from 0 in order of appearance.
  std::uint32_t process(std::int64_t pid) {
    return static_cast<std::uint32_t>(processes_.try_emplace(pid, processes_.size()).first->second);
  }
  /// One number for a call stack's id and its process, because these ids are unique within a process only.
  std::int64_t stack(const std::string& guid, std::int64_t pid, std::int64_t id) {
    return static_cast<std::int64_t>(stacks_.try_emplace({guid, {pid, id}}, stacks_.size()).first->second);
  }

  /// Reads host ranges: all as launches, those of the user (category MARKER...) also as ranges that may be steps.
  void read_regions() {
    for (engine::Rows rows =
             database_.query("SELECT start, \"end\", name, pid, tid, category, guid, stack_id FROM regions");
         rows.next();) {
      const Interval at = interval(rows, "regions");
      const std::uint32_t of = process(rows.integer(3));
      if (rows.text(5).starts_with("MARKER")) {
        const auto thread = static_cast<std::uint32_t>(
            threads_.try_emplace({rows.integer(3), rows.integer(4)}, threads_.size()).first->second);
        if (thread == timeline_.process_of_thread.size()) timeline_.process_of_thread.push_back(of);
        markers_.push_back({.start = at.start,
                            .end = at.start + at.duration,
                            .name = timeline_.names.id(rows.text(2)),
                            .process = of,
                            .thread = thread});
      }
      const std::string guid(rows.text(6));
      timeline_.launches.push_back(
          {.correlation = stack(guid, rows.integer(3), rows.integer(7)), .start = at.start, .process = of});
    }
  }

  void read_kernels() {
    for (engine::Rows rows =
             database_.query("SELECT start, \"end\", name, pid, guid, stack_id, parent_stack_id, region, "
                             "agent_abs_index, queue_id FROM kernels");
         rows.next();) {
      const Interval at = interval(rows, "kernels");
      const std::string guid(rows.text(4));
      // The call that launched it has the kernel's own stack id; without a HIP trace, the range around it has the
      // parent's.
      const auto own = stacks_.find({guid, {rows.integer(3), rows.integer(5)}});
      const std::int64_t correlation =
          own != stacks_.end() ? static_cast<std::int64_t>(own->second) : stack(guid, rows.integer(3), rows.integer(6));
      const auto lane = static_cast<std::uint32_t>((rows.integer(8) << 16) + (rows.integer(9) & 0xffff));
      timeline_.device.push_back({.start = at.start,
                                  .duration = at.duration,
                                  .correlation = correlation,
                                  .name = timeline_.names.id(rows.text(2)),
                                  .lane = lane});
      regions_.emplace_back(rows.text(7));
    }
  }

  /// Whether no range of the user has a duration: before 2026 push/pop ranges were stored with the time of the pop
  /// only.
  bool has_only_pops() const {
    return !markers_.empty() && std::all_of(markers_.begin(), markers_.end(),
                                            [](const engine::NamedRange& range) { return range.start == range.end; });
  }

  /// Makes steps of the user's ranges; without any, the file is one step.
  void attribute_to_steps() {
    engine::choose_steps(std::move(markers_), input_.rules(), timeline_, profile_);
    if (!timeline_.windows.empty()) return profile::attribute_to_steps(std::move(timeline_), profile_);
    profile_.notes.push_back(input_.name() + ": the file is taken as one step");
    profile::add_timeline_as_step(std::move(timeline_), input_.stem(), profile_);
  }

  /// Makes a step of the kernels of each range that names a step, without a host time. Other kernels are unattributed.
  void group_by_region() {
    profile_.notes.push_back(input_.name() +
                             ": its ranges have no duration (an old rocprofv3): kernels go by the range that launched "
                             "them, and there is no host time");
    std::map<std::string, std::vector<std::size_t>> by_region;
    for (std::size_t k = 0; k < regions_.size(); ++k) by_region[regions_[k]].push_back(k);
    for (const auto& [region, kernels] : by_region) {
      profile::Timeline part;
      for (const std::size_t k : kernels) {
        part.device.push_back(timeline_.device[k]);
        part.device.back().name = part.names.id(timeline_.names[timeline_.device[k].name]);
      }
      if (input_.rules().names_step(region))
        profile::add_timeline_as_step(std::move(part), region, profile_);
      else
        profile_.unattributed_gpu_ops += kernels.size();
    }
  }

  ProfileInput& input_;
  const engine::Database& database_;
  profile::StepProfile profile_;
  profile::Timeline timeline_;
  std::vector<engine::NamedRange> markers_;
  std::vector<std::string> regions_;  ///< regions of each kernel
  std::map<std::int64_t, std::size_t> processes_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> threads_;
  std::map<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>, std::size_t> stacks_;
};

profile::StepProfile read_rocpd(ProfileInput& input) { return RocpdReader(input).read(); }

}  // namespace

const ProfileReader kRocpd{
    .name = "rocpd",
    .summary = "rocprofv3's database: roctx ranges named after iterations are steps, else the file is one",
    .example = "rocprofv3 --kernel-trace --marker-trace --hip-trace -- app",
    .recognises = is_rocpd,
    .read = read_rocpd,
};

}  // namespace seqpoint::io::profiles::formats
