#include "cli/options/profile_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/progress.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// A host range ends when the CPU has issued its work, so the first steps that are recorded look cheap.
void warn_of_empty_queue(const profile::StepProfile& profile, Console& console) {
  constexpr double kMuch = 0.9;
  std::string steps;
  for (const profile::ProfiledStep& step : profile.steps)
    if (!step.stub && step.host_ns && step.gpu_busy_ns &&
        static_cast<double>(*step.host_ns) < kMuch * static_cast<double>(*step.gpu_busy_ns))
      steps += (steps.empty() ? "" : ", ") + step.key;
  if (steps.empty()) return;
  console.warn(
      fmt::format("{}: the host time of {} is shorter than the device was busy: the launch queue was not full yet; say "
                  "--warmup N or --time-source gpu-span",
                  profile.source, steps));
}

/// The end of profiling cut them off, or they never ran: which of the two, the user can tell.
void tell_stubs(const profile::StepProfile& profile, Console& console) {
  const auto is_stub = [](const profile::ProfiledStep& step) { return step.stub; };
  const auto first = std::ranges::find_if(profile.steps, is_stub);
  if (first == profile.steps.end()) return;
  console.note(fmt::format("{}: {} cut off by the end of profiling: {} lasts {:.3g} s", profile.source,
                           counted(static_cast<std::uint64_t>(std::ranges::count_if(profile.steps, is_stub)), "step"),
                           first->key, static_cast<double>(first->host_ns.value_or(0)) / 1e9));
}

void tell_profile(const profile::StepProfile& profile, Console& console) {
  for (const std::string& note : profile.notes) console.warn(note);
  std::uint64_t weak = 0;
  for (const profile::ProfiledStep& step : profile.steps) weak += step.weak_gpu_ops;
  tell_stubs(profile, console);
  if (weak > 0)
    console.warn(fmt::format("{}: {} without a launch in the file ran during the steps; they count in weak_gpu_* only",
                             profile.source, counted(weak, "device operation")));
  if (profile.unattributed_gpu_ops > 0)
    console.note(
        fmt::format("{}: {} in no step", profile.source, counted(profile.unattributed_gpu_ops, "device operation")));
  warn_of_empty_queue(profile, console);
}

}  // namespace

OptionRows profile_rows(ProfileReading& o) {
  const auto format = [&o](const std::string& name) {
    o.format = name.empty() ? "" : io::profiles::find_profile_reader(name).name;
  };
  const auto match = [&o](const std::string& text) {
    if (!text.empty()) o.rules.pattern.emplace(text);
  };
  return {
      {"--format", among(io::profiles::profile_readers, converted("FORMAT", format)),
       "the profiles' format [guessed from content]; see `seqpoint formats`"},
      {"--match", converted("REGEX", match),
       "which step is what: a regular expression over names, with groups (?<point>), (?<seqlen>), (?<tgt_len>), ..."},
      {"--map", path_to(o.map), "the same as a CSV: key (or index), and point, seqlen, ..."},
      {"--warmup", count_to(o.warmup), "leave out the first N steps or rows of every profile"}};
}

void read_map(ProfileReading& reading, const Console& console) {
  if (!reading.map.empty()) reading.rules.map = io::profiles::read_step_map(open_shown(reading.map, console));
}

io::profiles::StepProfileFile read_profile(io::stream::Input input, const ProfileReading& reading, Console& console) {
  io::profiles::ProfileReadOptions options;
  options.rules = &reading.rules;
  io::profiles::StepProfileFile file = io::profiles::read_step_profile(std::move(input), options, reading.format);
  tell_profile(file.profile, console);
  return file;
}

std::vector<io::profiles::StepProfileFile> read_profiles(const std::vector<std::string>& paths,
                                                         const ProfileReading& reading, Console& console) {
  std::vector<io::profiles::StepProfileFile> files;
  for (const std::string& path : paths) files.push_back(read_profile(open_shown(path, console), reading, console));
  return files;
}

}  // namespace seqpoint::cli::options
