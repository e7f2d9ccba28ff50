#include "cli/commands/project.hpp"

#include <algorithm>

#include "cli/progress.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/profiles/profile_formats.hpp"

namespace seqpoint::cli::commands {
namespace {

Configuration read_configuration(const std::string& name, const std::vector<std::string>& paths,
                                 const ProfileReading& reading, std::vector<io::manifests::InputRecord>& records,
                                 Console& console) {
  Configuration configuration{.name = name, .tables = {}, .profiles = {}};
  for (io::profiles::StepProfileFile& file : read_profiles(paths, reading, console)) {
    records.push_back(file.record);
    if (file.table)
      configuration.tables.push_back(std::move(*file.table));
    else
      configuration.profiles.push_back(std::move(file.profile));
  }
  for (const std::string& note : profile::merge_ranks(configuration.profiles)) console.note(name + ": " + note);
  return configuration;
}

project::NamedMeasurements measured(Configuration& configuration, const select::Selection& selection,
                                    const ProfileReading& reading, std::optional<profile::TimeKind> time,
                                    Console& console) {
  profile::StepTables steps =
      profile::tables_of(configuration.profiles, selection, reading.rules, time, reading.warmup);
  for (const std::string& note : steps.notes) console.warn(configuration.name + ": " + note);
  configuration.measurement_tables = configuration.tables.size();
  std::move(steps.tables.begin(), steps.tables.end(), std::back_inserter(configuration.tables));
  return {configuration.name,
          during(console, "matching", [&] { return profile::match(configuration.tables, selection, reading.warmup); })};
}

std::optional<profile::TimeKind> parse_time_source(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto kind = profile::time_kind(name);
  if (!kind)
    throw UsageError("--time-source: there is no kind of time '" + name + "'",
                     "one of: host, gpu-busy, gpu-sum, gpu-span");
  return kind;
}

/// Rows of a whole trace that are at no point are many and expected; steps of a profiler are few, and each was meant.
void tell_matching(const project::NamedMeasurements& named, bool steps, Console& console) {
  const profile::Measurements& m = named.measurements;
  const std::uint64_t others = m.rows - m.matched_rows;
  std::string text = named.name + ": " + counted(m.rows, "measurement") + ", " + std::to_string(m.matched_rows) +
                     " of them at the points";
  if (m.warmup_rows > 0) text += "; " + std::to_string(m.warmup_rows) + " left out as warm-up";
  if (m.stubs > 0) text += "; " + std::to_string(m.stubs) + " left out as cut off";
  console.note(text);
  if (others == 0) return;
  std::string list;
  for (const std::string& row : m.unmatched) list += (list.empty() ? "" : "; ") + row;
  list = named.name + ": " + std::to_string(others) + " of no point: " + list +
         (others > m.unmatched.size() ? "; ..." : "");
  steps ? console.warn(list) : console.detail(list);
}

}  // namespace

ProjectInputs read_inputs(ProjectRequest& request, Console& console) {
  read_map(request.reading, console);
  io::artifacts::SeqpointsFile file = io::artifacts::read_seqpoints(open_shown(request.seqpoints, console));
  ProjectInputs inputs{.selection = std::move(file.selection),
                       .configurations = {},
                       .onto = {},
                       .earlier = {},
                       .records = {file.record}};
  for (const auto& [name, paths] : request.configurations)
    inputs.configurations.push_back(read_configuration(name, paths, request.reading, inputs.records, console));
  if (!request.onto.empty()) {
    inputs.onto = io::artifacts::read_run(open_shown(request.onto, console),
                                          trace::properties_of(inputs.selection.run.kind).layout);
    inputs.records.push_back(inputs.onto->record);
  }
  if (!request.against.empty()) {
    inputs.earlier = io::artifacts::read_projection(open_shown(request.against, console));
    inputs.records.push_back(inputs.earlier->record);
  }
  return inputs;
}

std::optional<profile::TimeKind> time_source(const ProjectInputs& inputs, const std::string& asked, Console& console) {
  std::vector<profile::StepProfile> all;
  bool tables = false;
  for (const Configuration& c : inputs.configurations) {
    all.insert(all.end(), c.profiles.begin(), c.profiles.end());
    tables = tables || !c.tables.empty();
  }
  const std::optional<profile::TimeKind> kind = profile::common_time_kind(all, parse_time_source(asked));
  if (all.empty() && !asked.empty())
    throw UsageError("--time-source " + asked + ": the profiles are tables, whose columns say what was measured",
                     "choose a column with --stat");
  if (kind) console.note("time source: " + std::string(profile::name_of(*kind)));
  if (kind && *kind != profile::TimeKind::host && tables)
    console.warn("runtime_s of the profilers' files is " + std::string(profile::name_of(*kind)) +
                 " time; is that of the tables the same kind?");
  return kind;
}

std::vector<project::NamedMeasurements> measure(ProjectInputs& inputs, const ProfileReading& reading,
                                                std::optional<profile::TimeKind> time, Console& console) {
  std::vector<project::NamedMeasurements> all;
  for (Configuration& configuration : inputs.configurations) {
    all.push_back(measured(configuration, inputs.selection, reading, time, console));
    tell_matching(all.back(), !configuration.profiles.empty(), console);
  }
  return all;
}

}  // namespace seqpoint::cli::commands
