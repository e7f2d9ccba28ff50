#include "cli/commands/project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "cli/commands/report_findings.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/progress.hpp"
#include "core/findings/checks.hpp"
#include "core/findings/rules.hpp"
#include "core/profile/measure.hpp"
#include "core/profile/readings.hpp"
#include "io/artifacts/files.hpp"
#include "io/profiles/profile_formats.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

/// Throws InputError if the table and the file of its consecutive batches name processes, and not the same one.
void require_same_process(const profile::ProfileTable& table, const std::string& stretch) {
  const std::optional<std::size_t> process = profile::number_of_process(io::artifacts::process_in(stretch));
  const auto is_named = [](const profile::Origin& origin) { return profile::is_of_process(origin.process); };
  if (!process || std::ranges::none_of(table.origins, is_named)) return;
  if (std::ranges::find(table.origins, *process, &profile::Origin::process) == table.origins.end())
    throw InputError({stretch}, "its batches are of another process than the rows of " + table.source,
                     "NAME.stretch.csv is of the process of NAME.csv: move it away if it is not");
}

/// Reads the consecutive batches that the process of a table ran, if the folder has them.
void read_stretch(Configuration& configuration, const profile::ProfileTable& table, trace::ShapeKind kind,
                  std::vector<io::manifests::InputRecord>& records) {
  const std::string path = io::artifacts::stretch_of(table.source);
  if (!std::filesystem::is_regular_file(path)) return;
  require_same_process(table, path);
  io::artifacts::TraceFile file =
      io::artifacts::read_trace(io::stream::Input::open(path), {}, trace::properties_of(kind).layout);
  records.push_back(file.record);
  configuration.stretches.emplace(table.source, std::move(file.trace));
}

/// Reads the files of a configuration, and adds their records to `records`. Throws InputError if a table states a run
/// of another size than `run`.
Configuration read_configuration(const std::string& name, const std::vector<std::string>& paths,
                                 const ProfileReading& reading, const trace::RunSummary& run,
                                 std::vector<io::manifests::InputRecord>& records, Console& console) {
  Configuration configuration{.name = name, .tables = {}, .profiles = {}, .records = {}};
  for (io::profiles::StepProfileFile& file : read_profiles(paths, reading, console)) {
    records.push_back(file.record);
    configuration.records.push_back(file.record);
    if (file.table) io::artifacts::require_same_iterations(*file.table, run.iterations);
    if (file.table) {
      read_stretch(configuration, *file.table, run.kind, records);
      configuration.tables.push_back(std::move(*file.table));
    } else
      configuration.profiles.push_back(std::move(file.profile));
  }
  return configuration;
}

/// The kind of time to use from all profilers' files: `asked`, else the first kind that all have; nothing if there are
/// only tables. Throws UsageError if a kind was asked for and there are only tables.
std::optional<profile::TimeKind> time_of(const ProjectInputs& inputs, std::optional<profile::TimeKind> asked) {
  std::vector<profile::StepProfile> all;
  for (const Configuration& c : inputs.configurations) all.insert(all.end(), c.profiles.begin(), c.profiles.end());
  if (all.empty() && asked)
    throw UsageError(fmt::format("--time-source {}: the profiles are tables, whose columns say what was measured",
                                 profile::name_of(*asked)),
                     "choose a column with --metric");
  return profile::common_time_kind(all, asked);
}

/// Matches the rows of tables, and steps converted to tables, with points. Adds the tables of steps and notes to
/// `matched`.
profile::Measurements match(const Configuration& configuration, const select::Selection& selection,
                            const ProfileReading& reading, std::optional<profile::TimeKind> time,
                            MatchedTables& matched) {
  const profile::NameRules& rules = reading.rules;
  matched.first_of_profiles = matched.tables.size();
  if (!configuration.profiles.empty()) {
    profile::StepTables steps = profile::tables_of(configuration.profiles, selection, rules, time, reading.warmup);
    matched.step_notes = std::move(steps.notes);
    std::move(steps.tables.begin(), steps.tables.end(), std::back_inserter(matched.tables));
  } else if (rules.map) {
    matched.step_notes = profile::identify_by_place(matched.tables, *rules.map, selection.run, reading.warmup);
  }
  return profile::match(matched.tables, selection, reading.warmup, reading.whole_runs);
}

/// The shapes that a process ran, warm-up included.
std::set<trace::Shape> shapes_of(const profile::ProfileTable& table, trace::ShapeKind kind) {
  std::set<trace::Shape> shapes;
  for (const profile::ProfileRow& row : table.rows)
    if (const auto shape = table.subject(row).key.whole(kind)) shapes.insert(*shape);
  return shapes;
}

/// Adds the stretches of a configuration to its measurements.
std::vector<project::Stretch> add_stretches(const Configuration& configuration, const select::Selection& selection,
                                            const std::vector<profile::ProfileTable>& tables,
                                            profile::Measurements& measurements, const project::ProjectParams& params) {
  std::vector<project::ConsecutiveBatches> ran;
  for (const auto& [source, batches] : configuration.stretches) {
    const auto process = std::ranges::find(measurements.process_names, source);
    const auto table = std::ranges::find(tables, source, &profile::ProfileTable::source);
    if (process == measurements.process_names.end() || table == tables.end()) continue;
    ran.push_back({.process = static_cast<std::size_t>(process - measurements.process_names.begin()),
                   .batches = batches,
                   .known = shapes_of(*table, selection.run.kind)});
  }
  return project::add_stretches(selection, measurements, ran, params);
}

/// Reports the kind of time, and warns if times of a device are mixed with tables.
void report_time(const Measured& measured, Console& console) {
  if (!measured.time) return;
  const std::string time(profile::name_of(*measured.time));
  console.detail("time source: " + time);
  const bool tables = std::any_of(measured.tables.begin(), measured.tables.end(),
                                  [](const MatchedTables& c) { return c.first_of_profiles > 0; });
  if (*measured.time != profile::TimeKind::host && tables)
    console.warn(fmt::format("runtime_s of the profilers' files is {} time", time),
                 "check that the tables have the same kind of time, or choose another: --time-source");
}

/// Prints a note for each metric that lacks values at points: empty cells, or a column that only some files have.
void report_missing_values(const project::NamedMeasurements& named, Console& console) {
  const profile::Measurements& m = named.measurements;
  for (std::size_t metric = 0; metric < m.metrics.size(); ++metric) {
    std::size_t values = 0;
    for (const auto& of_point : m.readings[metric]) values += of_point.size();
    if (values < m.matched_rows)
      console.note(fmt::format("{}: {}: {} of {} at the points have a value", named.name, m.metrics[metric], values,
                               counted(m.matched_rows, "measurement")));
  }
}

/// In a timed batch list most rows match no point, which is fine. A profiler's unmatched steps, or a few unmatched
/// rows, are probably a mistake: lists them.
void report_matching(const project::NamedMeasurements& named, bool steps, Console& console) {
  const profile::Measurements& m = named.measurements;
  const std::uint64_t others = m.rows - m.matched_rows;
  std::string text =
      fmt::format("{}: {}, {} of them at the points", named.name, counted(m.rows, "measurement"), m.matched_rows);
  if (m.warmup_rows > 0) text += fmt::format("; {} left out as warm-up", m.warmup_rows);
  if (m.first_rows > 0) text += fmt::format(", {} of them first executions of points", m.first_rows);
  if (m.stubs > 0) text += fmt::format("; {} left out as cut off", m.stubs);
  console.detail(text);
  if (m.files_as_processes > 1)
    console.note(
        fmt::format("{}: {} count as processes of one build; builds or machines need a name each: --profile NAME=FILE",
                    named.name, counted(m.files_as_processes, "file")));
  report_missing_values(named, console);
  if (others == 0) return;
  const std::string list = fmt::format("{}: {} at no point, the first: {}", named.name,
                                       counted(others, steps ? "step" : "row"), m.unmatched.front());
  steps ? console.warn(list, "check that they are of this run, or let --match or --map name their points")
  : others <= m.matched_rows ? console.note(list)
                             : console.detail(list);
}

/// Throws UsageError if a map identifies steps by name and all profiles are tables, whose rows have no names.
void require_profiles_for_map(const ProjectInputs& inputs, const ProfileReading& reading) {
  const auto has_profiles = [](const Configuration& c) { return !c.profiles.empty(); };
  if (reading.rules.map && reading.rules.map->by_index.empty() &&
      std::ranges::none_of(inputs.configurations, has_profiles))
    throw UsageError(
        fmt::format("--map {}: names steps, but the profiles are tables, whose rows have no names", reading.map),
        "a column index, the place of the row, in the map; or a column point, or src_len, in the table");
}

/// Whether rows of a table that names no selection name points only, of which every selection has an sp1. Lengths or
/// iterations would show whether they are of these points.
bool is_unchecked(const profile::ProfileTable& table) {
  return table.key == profile::ProfileTable::Key::point && table.dimensions.empty() && !table.has_iteration;
}

/// Throws InputError if a table or a map names another selection. Says which tables name none.
void require_same_selection(const ProjectInputs& inputs, const ProfileReading& reading, Console& console) {
  if (reading.rules.map) io::artifacts::require_same_selection(*reading.rules.map, inputs.selection);
  std::vector<std::string> unchecked;
  for (const Configuration& configuration : inputs.configurations)
    for (const profile::ProfileTable& table : configuration.tables) {
      io::artifacts::require_same_selection(table, inputs.selection);
      if (table.selections.empty() && is_unchecked(table))
        unchecked.push_back(table.source);
      else if (table.selections.empty())
        console.detail(fmt::format("{} does not say of which selection it is: that was not checked", table.source));
    }
  if (unchecked.empty()) return;
  console.note(fmt::format(
      "{}{}: rows name points, but no lengths and no selection: not checked whether they are of "
      "these points",
      unchecked.front(), unchecked.size() > 1 ? " and " + counted(unchecked.size() - 1, "other table") : ""));
}

/// Merges the tables, and the profiles, of several ranks into one each, and collects findings about the files. Takes
/// the tables from the configuration.
MatchedTables tables_of(Configuration& configuration, const ProjectRequest& request) {
  std::vector<std::string> names;
  for (const auto& [name, paths] : request.configurations) names.push_back(name);
  MatchedTables matched{
      .tables = std::move(configuration.tables), .file_findings = {}, .rank_notes = {}, .step_notes = {}};
  matched.file_findings = findings::findings_about_files(matched.tables, configuration.name, names);
  for (Finding& finding : findings::findings_about_copies(configuration.profiles))
    matched.file_findings.push_back(std::move(finding));
  std::vector<Finding>& found = matched.file_findings;
  for (profile::StepProfile& profile : configuration.profiles)
    std::ranges::move(profile.findings, std::back_inserter(found));
  matched.rank_notes = profile::merge_ranks(matched.tables, found);
  for (std::string& note : profile::merge_ranks(configuration.profiles, found))
    matched.rank_notes.push_back(std::move(note));
  return matched;
}

/// SeqPoints are a JSON object, traces have a header.
bool is_json(std::string_view head) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  return io::text::trim(head).starts_with('{');
}

/// Reads the run to project from SeqPoints or a trace.
void read_onto(ProjectInputs& inputs, io::stream::Input input) {
  const auto take = [&](const io::manifests::InputRecord& record, trace::RunSummary run,
                        std::vector<std::string> notes) {
    inputs.records.push_back(record);
    inputs.onto = {.source = record.path, .digest = record.digest, .run = std::move(run)};
    inputs.onto_notes = std::move(notes);
  };
  if (is_json(input.head())) {
    io::artifacts::SeqpointsFile file = io::artifacts::read_seqpoints(std::move(input));
    return take(file.record, std::move(file.selection.run), std::move(file.notes));
  }
  io::artifacts::TraceFile file =
      io::artifacts::read_trace(std::move(input), {}, trace::properties_of(inputs.selection.run.kind).layout);
  take(file.record, trace::summarise(file.trace), std::move(file.notes));
}

}  // namespace

ProjectInputs read_inputs(ProjectRequest& request, Console& console) {
  read_map(request.reading, console);
  io::artifacts::SeqpointsFile file = io::artifacts::read_seqpoints(open_shown(request.seqpoints, console));
  for (const std::string& note : file.notes) console.note(note);
  ProjectInputs inputs{.selection = std::move(file.selection),
                       .configurations = {},
                       .onto = {},
                       .onto_notes = {},
                       .earlier = {},
                       .categories = {},
                       .truths = {},
                       .records = {file.record}};
  for (const auto& [name, paths] : request.configurations)
    inputs.configurations.push_back(
        read_configuration(name, paths, request.reading, inputs.selection.run, inputs.records, console));
  require_profiles_for_map(inputs, request.reading);
  require_same_selection(inputs, request.reading, console);
  if (!request.onto.empty()) read_onto(inputs, open_shown(request.onto, console));
  if (!request.against.empty()) {
    inputs.earlier = io::artifacts::read_projection(open_shown(request.against, console));
    for (const std::string& note : inputs.earlier->notes) console.note(note);
    inputs.records.push_back(inputs.earlier->record);
  }
  for (const auto& [name, path] : request.truths) {
    io::artifacts::TraceFile truth =
        load_measured_trace(path, trace::properties_of(inputs.selection.run.kind).layout, console);
    inputs.records.push_back(truth.record);
    inputs.truths.push_back({name, std::move(truth.trace), path});
  }
  if (!request.categories.empty())
    inputs.categories = io::profiles::read_categories(open_shown(request.categories, console));
  else if (request.by)
    inputs.categories.emplace();
  return inputs;
}

Measured measure(ProjectInputs& inputs, const ProjectRequest& request, const Console& console) {
  Measured measured;
  for (Configuration& configuration : inputs.configurations)
    measured.tables.push_back(tables_of(configuration, request));
  measured.time = time_of(inputs, request.time_source);
  during(console, "matching", [&] {
    for (std::size_t c = 0; c < inputs.configurations.size(); ++c)
      measured.configurations.push_back(
          {inputs.configurations[c].name,
           match(inputs.configurations[c], inputs.selection, request.reading, measured.time, measured.tables[c])});
    for (std::size_t c = 0; c < inputs.configurations.size(); ++c)
      measured.stretches.push_back(add_stretches(inputs.configurations[c], inputs.selection, measured.tables[c].tables,
                                                 measured.configurations[c].measurements, request.params));
  });
  during(console, "checking", [&] { measured.findings = check(inputs, measured, request); });
  return measured;
}

void tell(const ProjectInputs& inputs, const Measured& measured, Console& console) {
  for (std::size_t c = 0; c < measured.tables.size(); ++c)
    for (const std::string& note : measured.tables[c].rank_notes)
      console.note(fmt::format("{}: {}", inputs.configurations[c].name, note));
  report_time(measured, console);
  // Rejected findings threw before.
  warn_of(measured.findings, console, {}, true);
  for (std::size_t c = 0; c < measured.tables.size(); ++c) {
    for (const std::string& note : measured.tables[c].step_notes)
      console.warn(fmt::format("{}: {}", inputs.configurations[c].name, note));
    report_matching(measured.configurations[c], !inputs.configurations[c].profiles.empty(), console);
  }
}

}  // namespace seqpoint::cli::commands
