// Nsight Systems' SQLite export. Tables and columns from NVIDIA's "SQLite Schema Reference"
// (docs.nvidia.com/nsight-systems); any may be missing. Information about the user who ran the capture is never read.
#include <fmt/core.h>

#include <map>
#include <set>

#include "core/profile/timeline.hpp"
#include "io/profiles/engine/step_windows.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

constexpr auto kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::int64_t kThreadBits = 24;  // of a global thread id; higher bits are the process

/// Whether there is a table StringIds, and one of kernels, of export metadata or of the session.
bool is_nsys(const ProfileProbe& probe) {
  return probe.has_table("StringIds") &&
         (probe.has_table("META_DATA_EXPORT") || probe.has_table("EXPORT_META_DATA") || probe.has_table(kKernels) ||
          probe.has_table("TARGET_INFO_SESSION_START_TIME"));
}

/// The operator that a range is named after: `aten::mul, op_id = 322567` is aten::mul.
std::string_view operator_name(std::string_view range) {
  for (const std::string_view mark : {", op_id = ", ", seq = "}) range = range.substr(0, range.find(mark));
  return range;
}

/// The name of copies of a kind of CUPTI.
std::string copy_name(std::int64_t kind) {
  switch (kind) {  // CUpti_ActivityMemcpyKind
    case 1: return "[CUDA memcpy HtoD]";
    case 2: return "[CUDA memcpy DtoH]";
    case 8: return "[CUDA memcpy DtoD]";
    case 10: return "[CUDA memcpy PtoP]";
    default: return "[CUDA memcpy]";
  }
}

class NsysReader {
 public:
  explicit NsysReader(ProfileInput& input) : input_(input), database_(input.require_database()) {
    profile_.source = input.name();
    profile_.format = kNsys.name;
  }

  profile::StepProfile read() {
    read_strings();
    read_launches();
    read_device();
    count_launches();
    read_ranges();
    engine::choose_steps(std::move(ranges_), input_.rules(), timeline_, profile_);
    if (timeline_.device.empty())
      profile_.notes.push_back(input_.name() + ": contains no GPU work; record it with --trace=cuda,nvtx");
    if (!timeline_.windows.empty()) {
      profile::attribute_to_steps(std::move(timeline_), profile_);
    } else if (!timeline_.device.empty()) {
      profile_.notes.push_back(input_.name() + ": the capture is taken as one step");
      profile::add_timeline_as_step(std::move(timeline_), input_.stem(), profile_);
    }
    return std::move(profile_);
  }

 private:
  /// A column of the table, quoted for SQL; NULL if the table has none of that name.
  std::string column(const std::string& table, const std::string& name) const {
    return database_.has_column(table, name) ? '"' + name + '"' : "NULL";
  }
  /// The rows of some columns; a column that the table lacks is NULL. `where`: rest of the SQL query.
  engine::Rows select(const std::string& table, std::initializer_list<const char*> columns,
                      const std::string& where = "") const {
    std::string list;
    for (const char* const name : columns) list += (list.empty() ? "" : ", ") + column(table, name);
    return database_.query(fmt::format("SELECT {} FROM \"{}\"{}", list, table, where));
  }

  void read_strings() {
    for (engine::Rows rows = select("StringIds", {"id", "value"}); rows.next();)
      strings_[rows.integer(0)] = timeline_.names.id(rows.text(1));
  }
  /// The number, in Timeline::names, of a string of the database; of "(unnamed ID)" if there is none of that id.
  std::uint32_t string(std::int64_t id) {
    const auto found = strings_.find(id);
    return found != strings_.end() ? found->second : timeline_.names.id(fmt::format("(unnamed {})", id));
  }

  /// The number of a global id's process, from 0 in order of appearance.
  std::uint32_t process(std::int64_t global) {
    return static_cast<std::uint32_t>(processes_.try_emplace(global >> kThreadBits, processes_.size()).first->second);
  }
  /// The number of a global thread id, from 0 in order of appearance.
  std::uint32_t thread(std::int64_t global) {
    const auto [at, is_new] = threads_.try_emplace(global, static_cast<std::uint32_t>(threads_.size()));
    if (is_new) timeline_.process_of_thread.push_back(process(global));
    return at->second;
  }
  /// One number for a correlation id and its process, because correlation ids are unique per process only.
  static std::int64_t correlation(std::int64_t id, std::uint32_t process) {
    constexpr int kBits = 40;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(id) & ((1ULL << kBits) - 1)) |
           (static_cast<std::int64_t>(process & 0x3fffffU) << kBits);
  }

  /// Reads the calls of the CUDA runtime, if the table is there.
  void read_launches() {
    const auto table = database_.table("CUPTI_ACTIVITY_KIND_RUNTIME");
    if (!table) return;
    for (engine::Rows rows = select(*table, {"start", "correlationId", "globalTid"}); rows.next();) {
      const std::uint32_t of = process(rows.integer(2));
      timeline_.launches.push_back(
          {.correlation = correlation(rows.integer(1), of), .start = time(rows, 0), .process = of});
    }
    profile_.facts.emplace_back("runtime_calls", static_cast<std::int64_t>(timeline_.launches.size()));
  }

  /// The time in ns in column `at`. Throws InputError if it is impossibly far from 0.
  std::int64_t time(const engine::Rows& rows, int at) const {
    const std::int64_t ns = rows.integer(at);
    if (ns < -text::kFurthestNs || ns > text::kFurthestNs)
      throw InputError({input_.name()}, fmt::format("has an event at {} ns", ns), "export it again");
    return ns;
  }
  /// The ns from column 0 (start) to column 1 (end). Throws InputError without an end, and if it is negative or too
  /// long.
  std::int64_t duration(const engine::Rows& rows, const std::string& table) const {
    const std::int64_t ns = time(rows, 1) - time(rows, 0);
    if (rows.is_null(1) || ns < 0 || ns > text::kLongestNs)
      throw InputError({input_.name(), 0, table},
                       ns < 0 ? "has an operation that ends before it begins" : "has an operation without an end",
                       "export it again");
    return ns;
  }

  /// Reads device operations from the table `kind`, if it is there. `name(rows)`: number of the row's name. Without a
  /// process column, correlations are used only if one process made all calls.
  template <class Name>
  void read_operations(const char* kind, Name name) {
    const auto table = database_.table(kind);
    if (!table) return;
    const bool has_process = database_.has_column(*table, "globalPid");
    // Without a process, correlations are unique only if one process has launched everything.
    if (!has_process && processes_.size() > 1)
      profile_.notes.push_back(fmt::format("{}: {} does not say of which process its rows are", input_.name(), *table));
    for (engine::Rows rows = select(*table, {"start", "end", "correlationId", "globalPid", "deviceId", "streamId",
                                             "demangledName", "shortName", "copyKind"});
         rows.next();) {
      const std::int64_t length = duration(rows, *table);
      const std::uint32_t of = has_process ? process(rows.integer(3)) : 0;
      const bool trusted = !rows.is_null(2) && (has_process || processes_.size() <= 1);
      const auto lane = static_cast<std::uint32_t>(
          lanes_.try_emplace({rows.integer(4), rows.integer(5)}, lanes_.size()).first->second);
      timeline_.device.push_back(
          {.start = time(rows, 0),
           .duration = length,
           .correlation = trusted ? correlation(rows.integer(2), of) : profile::DeviceOperation::kNoCorrelation,
           .name = name(rows),
           .lane = lane});
    }
  }

  /// Reads kernels, copies, memsets and CUDA graphs that were recorded as a whole.
  void read_device() {
    read_operations(kKernels, [this](const engine::Rows& rows) {
      return string(rows.is_null(6) ? rows.integer(7) : rows.integer(6));
    });
    kernels_ = timeline_.device.size();
    read_operations("CUPTI_ACTIVITY_KIND_MEMCPY",
                    [this](const engine::Rows& rows) { return timeline_.names.id(copy_name(rows.integer(8))); });
    read_operations("CUPTI_ACTIVITY_KIND_MEMSET",
                    [this](const engine::Rows&) { return timeline_.names.id("[CUDA memset]"); });
    const std::size_t before = timeline_.device.size();
    read_operations("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                    [this](const engine::Rows&) { return timeline_.names.id("[CUDA graph]"); });
    if (timeline_.device.size() > before)
      profile_.notes.push_back(
          fmt::format("{}: {} recorded as a whole; --cuda-graph-trace=node shows the kernels in them", input_.name(),
                      counted(timeline_.device.size() - before, "CUDA graph")));
  }

  /// Adds the facts of how much of the capture can be attributed at all: trimmed captures lack the calls.
  void count_launches() {
    constexpr std::int64_t kCorrelation = (std::int64_t{1} << 40) - 1;
    std::set<std::int64_t> launches;
    std::map<std::int64_t, std::int64_t> correlations;
    for (const profile::Launch& launch : timeline_.launches) {
      launches.insert(launch.correlation);
      ++correlations[launch.correlation & kCorrelation];
    }
    std::int64_t ns = 0, found = 0, by_correlation = 0;
    for (std::size_t k = 0; k < kernels_; ++k) {
      const profile::DeviceOperation& kernel = timeline_.device[k];
      ns += kernel.duration;
      found += launches.contains(kernel.correlation) ? 1 : 0;
      if (const auto same = correlations.find(kernel.correlation & kCorrelation); same != correlations.end())
        by_correlation += same->second;
    }
    profile_.facts.insert(profile_.facts.end(), {{"kernels", static_cast<std::int64_t>(kernels_)},
                                                 {"kernel_ns", ns},
                                                 {"kernels_with_launch", found},
                                                 {"launches_of_any_process", by_correlation}});
  }

  /// Reads the closed NVTX ranges; those that cannot be steps are also operators on the host. Notes how many are open.
  void read_ranges() {
    const auto table = database_.table("NVTX_EVENTS");
    if (!table) return;
    std::uint64_t open = 0, all = 0;
    // 59 push/pop, 60 start/end, 70 and 71 the same from NVTXT.
    for (engine::Rows rows = select(*table, {"start", "end", "globalTid", "text", "textId", "eventType"},
                                    " WHERE \"eventType\" IN (59, 60, 70, 71)");
         rows.next();) {
      ++all;
      const bool is_open = rows.is_null(1) || rows.integer(1) < rows.integer(0);
      open += is_open ? 1 : 0;
      if (is_open) continue;
      const std::int64_t length = duration(rows, *table);
      const std::uint32_t name = rows.is_null(3) ? string(rows.integer(4)) : timeline_.names.id(rows.text(3)),
                          of = thread(rows.integer(2));
      ranges_.push_back({.start = time(rows, 0),
                         .end = time(rows, 1),
                         .name = name,
                         .process = timeline_.process_of_thread[of],
                         .thread = of});
      // Ranges that are not steps contain operators (torch.autograd.profiler.emit_nvtx).
      if (!input_.rules().names_step(timeline_.names[name]))
        timeline_.host.push_back(
            {time(rows, 0), length, timeline_.names.id(operator_name(std::string(timeline_.names[name]))), of});
    }
    profile_.facts.emplace_back("nvtx_ranges", static_cast<std::int64_t>(all));
    if (open > 0)
      profile_.notes.push_back(
          fmt::format("{}: {} not closed when the capture ended; record longer, or leave the last step out",
                      input_.name(), counted(open, "range")));
  }

  ProfileInput& input_;
  const engine::Database& database_;
  profile::StepProfile profile_;
  profile::Timeline timeline_;
  std::vector<engine::NamedRange> ranges_;
  std::map<std::int64_t, std::uint32_t> strings_, threads_;
  std::map<std::int64_t, std::size_t> processes_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> lanes_;
  std::size_t kernels_ = 0;
};

profile::StepProfile read_nsys(ProfileInput& input) { return NsysReader(input).read(); }

}  // namespace

const ProfileReader kNsys{
    .name = "nsys",
    .summary = "Nsight Systems' SQLite export: NVTX ranges named after iterations are steps, else the capture is one",
    .example = "nsys export --type sqlite run.nsys-rep",
    .recognises = is_nsys,
    .read = read_nsys,
};

}  // namespace seqpoint::io::profiles::formats
