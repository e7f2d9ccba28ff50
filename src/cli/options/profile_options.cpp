#include "cli/options/profile_options.hpp"

#include "cli/progress.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli {
namespace {

/// A host range ends when the CPU has issued its work, so the first steps that are recorded look cheap.
void warn_of_empty_queue(const StepProfile& profile, Console& console) {
  constexpr double kMuch = 0.9;
  std::string steps;
  for (const ProfiledStep& step : profile.steps)
    if (!step.stub && step.host_ns && step.gpu_busy_ns &&
        static_cast<double>(*step.host_ns) < kMuch * static_cast<double>(*step.gpu_busy_ns))
      steps += (steps.empty() ? "" : ", ") + step.key;
  if (steps.empty()) return;
  console.warn(profile.source + ": the host time of " + steps +
               " is shorter than the device was busy: the launch queue was not full yet; say --warmup N or " +
               "--time-source gpu-span");
}

void tell_profile(const StepProfile& profile, Console& console) {
  for (const std::string& note : profile.notes) console.warn(note);
  std::uint64_t stubs = 0, weak = 0;
  for (const ProfiledStep& step : profile.steps) {
    stubs += step.stub ? 1 : 0;
    weak += step.weak_gpu_ops;
  }
  if (stubs > 0) console.note(profile.source + ": " + counted(stubs, "step") + " cut off by the end of profiling");
  if (weak > 0)
    console.warn(profile.source + ": " + counted(weak, "device operation") +
                 " without a launch in the file ran during the steps; they count in weak_gpu_* only");
  if (profile.unattributed_gpu_ops > 0)
    console.note(profile.source + ": " + counted(profile.unattributed_gpu_ops, "device operation") + " in no step");
  warn_of_empty_queue(profile, console);
}

}  // namespace

void add_profile_options(CLI::App& app, ProfileOptions& o) {
  add_text(app, "--format", o.format, "the profiles' format [guessed from content]; see `seqpoint formats`", "FORMAT");
  add_text(
      app, "--match", o.match,
      "which step is what: a regular expression over names, with groups (?<point>), (?<seqlen>), (?<tgt_len>), ...",
      "REGEX");
  add_text(app, "--map", o.map, "the same as a CSV: key (or index), and point, seqlen, ...", "FILE");
  add_count(app, "--warmup", o.warmup, "leave out the first N steps or rows of every profile");
}

NameRules name_rules(const ProfileOptions& o, const Console& console) {
  NameRules rules;
  if (!o.match.empty()) rules.pattern.emplace(o.match);
  if (!o.map.empty()) rules.map = read_step_map(open_shown(o.map, console));
  return rules;
}

std::vector<StepProfileFile> read_profiles(const std::vector<std::string>& paths, const ProfileOptions& o,
                                           const NameRules& rules, Console& console) {
  ProfileReadOptions options;
  options.rules = &rules;
  std::vector<StepProfileFile> files;
  for (const std::string& path : paths) {
    files.push_back(read_step_profile(open_shown(path, console), options, o.format));
    tell_profile(files.back().profile, console);
  }
  return files;
}

}  // namespace seqpoint::cli
