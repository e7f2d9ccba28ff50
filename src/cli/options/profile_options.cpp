#include "cli/options/profile_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/progress.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// Warns of steps whose host time is below 90 % of the device's busy time. Reason: a host range ends when the CPU has
/// issued its work, so the first recorded steps look cheap.
void warn_of_empty_queue(const profile::StepProfile& profile, Console& console) {
  constexpr double kMuch = 0.9;
  std::string steps;
  for (const profile::ProfiledStep& step : profile.steps)
    if (!step.stub && step.host_ns && step.gpu_busy_ns &&
        static_cast<double>(*step.host_ns) < kMuch * static_cast<double>(*step.gpu_busy_ns))
      steps += (steps.empty() ? "" : ", ") + step.key;
  if (steps.empty()) return;
  console.warn(fmt::format("{}: the host time of {} is shorter than the device was busy", profile.source, steps),
               "leave out steps before the launch queue is full (--skip N), or use --time-source gpu-span");
}

/// Prints a note on steps that the end of profiling cut off. Such steps may also never have run: only the user can
/// distinguish these cases.
void report_stubs(const profile::StepProfile& profile, Console& console) {
  const auto is_stub = [](const profile::ProfiledStep& step) { return step.stub; };
  const auto first = std::ranges::find_if(profile.steps, is_stub);
  if (first == profile.steps.end()) return;
  console.note(fmt::format("{}: {} cut off by the end of profiling: {} lasts {}", profile.source,
                           counted(static_cast<std::uint64_t>(std::ranges::count_if(profile.steps, is_stub)), "step"),
                           first->key,
                           io::views::duration_text(static_cast<double>(first->host_ns.value_or(0)) / 1e9)));
}

/// The way out for device operations without a launch, by the profiler.
std::string hint_of_launches(const std::string& format) {
  constexpr auto kUntilThen = "; until then they count in weak_gpu_* only";
  if (format == "nsys") return std::string("profile CUDA's runtime calls too") + kUntilThen;
  if (format == "rocpd") return std::string("profile HIP's runtime calls too") + kUntilThen;
  return std::string("profile the runtime's calls too (of CUDA, HIP or XPU)") + kUntilThen;
}

/// Prints the messages about a profile: its notes, stubs, and device operations without a launch or step.
void report_profile(const io::profiles::StepProfileFile& file, Console& console) {
  const profile::StepProfile& profile = file.profile;
  for (const std::string& note : profile.notes) console.warn(note);
  std::uint64_t weak = 0;
  for (const profile::ProfiledStep& step : profile.steps) weak += step.weak_gpu_ops;
  report_stubs(profile, console);
  if (weak > 0)
    console.warn(fmt::format("{}: {} without a launch in the file ran during the steps", profile.source,
                             counted(weak, "device operation")),
                 hint_of_launches(profile.format));
  if (profile.unattributed_gpu_ops > 0)
    console.note(
        fmt::format("{}: {} in no step", profile.source, counted(profile.unattributed_gpu_ops, "device operation")));
  warn_of_empty_queue(profile, console);
}

}  // namespace

void add_profile_options(CLI::App& app, ProfileReading& o) {
  const auto format = [&o](const auto&, const std::string& name) {
    o.format = name.empty() ? "" : io::profiles::find_profile_reader(name).name;
  };
  const auto match = [&o](const auto&, const std::string& text) {
    if (!text.empty()) o.rules.pattern.emplace(text);
  };
  OptionGroup group(app, "Profiles");
  group.other("--format", "FORMAT", format,
              "format of the profiles [guessed from content]; see `seqpoint list formats`");
  group.other("--match", "REGEX", match,
              "identify steps by a regular expression over names, with groups (?<point>), (?<seqlen>), (?<tgt_len>), "
              "...");
  group.path("--map", o.map, "identify steps by a CSV: key (or index), and point, seqlen, ...");
  group.count("--skip", o.warmup, "ignore the first N steps or rows of each profile");
}

void read_map(ProfileReading& reading, const Console& console) {
  if (!reading.map.empty()) reading.rules.map = io::profiles::read_step_map(open_shown(reading.map, console));
}

std::vector<io::profiles::StepProfileFile> read_profiles(const std::vector<std::string>& paths,
                                                         const ProfileReading& reading, Console& console) {
  std::vector<io::profiles::StepProfileFile> files;
  for (const std::string& path : paths) {
    files.push_back(io::profiles::read_step_profile(open_shown(path, console), reading.rules, reading.format));
    report_profile(files.back(), console);
  }
  return files;
}

}  // namespace seqpoint::cli::options
