#include "cli/commands/command.hpp"
#include "cli/options/gates.hpp"
#include "cli/options/profile_options.hpp"
#include "cli/progress.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/report_page.hpp"
#include "seqpoint/overheads.hpp"

namespace seqpoint::cli {
namespace {

struct ProjectOptions {
  std::string seqpoints, onto;
  std::vector<std::string> profiles, kinds, rates;  ///< as typed
  ProjectParams params;
  std::string time_source, by, categories;
  ProfileOptions reading;
  std::optional<double> require_coverage, max_regression, confidence;
  std::optional<double> overhead, first_seen_cost;
  std::string against;
  bool strict = false;
  ExportPaths exports;
  CiOptions ci;
};

MetricKind parse_kind(const std::string& name) {
  if (name == "total") return MetricKind::total;
  if (name == "rate") return MetricKind::rate;
  if (name == "max") return MetricKind::max;
  throw UsageError("--kind: there is no kind '" + name + "'", "one of: total, rate, max");
}

RateSpec parse_rate(const std::string& text) {
  const auto [name, ratio] = split_assignment(text, "--rate", "NAME=A/B");
  const auto slash = ratio.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == ratio.size())
    throw UsageError("--rate: '" + text + "' is not of the form NAME=A/B", "for example --rate ipc=instructions/cycles");
  return {name, ratio.substr(0, slash), ratio.substr(slash + 1)};
}

ProjectParams params_of(const ProjectOptions& o) {
  ProjectParams params = o.params;
  params.confidence = confidence_of(o.confidence);
  for (const std::string& kind : o.kinds) {
    const auto [column, name] = split_assignment(kind, "--kind", "COLUMN=total|rate|max");
    params.kinds[column] = parse_kind(name);
  }
  for (const std::string& rate : o.rates) params.rates.push_back(parse_rate(rate));
  return params;
}

/// Files by configuration, in the order in which the names first appear.
using Configurations = std::vector<std::pair<std::string, std::vector<std::string>>>;

Configurations configurations_of(const ProjectOptions& o) {
  Configurations all;
  for (const std::string& profile : o.profiles) {
    const auto [name, path] = split_assignment(profile, "--profile", "NAME=FILE");
    const auto same = [&name = name](const auto& entry) { return entry.first == name; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(all.end(), {name, {}});
    found->second.push_back(path);
  }
  return all;
}

/// A configuration's profiles: tables of measurements, and steps that a profiler recorded.
struct Configuration {
  std::string name;
  std::vector<ProfileTable> tables;   ///< once measured, those of `profiles` follow
  std::vector<StepProfile> profiles;
  std::size_t measurement_tables = 0;
};

Configuration read_configuration(const std::string& name, const std::vector<std::string>& paths, const ProfileOptions& options,
                                 const NameRules& rules, std::vector<InputRecord>& inputs, Console& console) {
  Configuration configuration{name, {}, {}, 0};
  for (StepProfileFile& file : read_profiles(paths, options, rules, console)) {
    inputs.push_back(file.record);
    if (file.table)
      configuration.tables.push_back(std::move(*file.table));
    else
      configuration.profiles.push_back(std::move(file.profile));
  }
  for (const std::string& note : merge_ranks(configuration.profiles)) console.note(name + ": " + note);
  return configuration;
}

std::optional<TimeKind> parse_time_source(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto kind = time_kind(name);
  if (!kind) throw UsageError("--time-source: there is no kind of time '" + name + "'", "one of: host, gpu-busy, gpu-sum, gpu-span");
  return kind;
}

/// The one kind of time that all profilers' files are read for.
std::optional<TimeKind> time_source(const std::vector<Configuration>& configurations, const std::string& asked, Console& console) {
  std::vector<StepProfile> all;
  bool tables = false;
  for (const Configuration& c : configurations) {
    all.insert(all.end(), c.profiles.begin(), c.profiles.end());
    tables = tables || !c.tables.empty();
  }
  const std::optional<TimeKind> kind = common_time_kind(all, parse_time_source(asked));
  if (all.empty() && !asked.empty())
    throw UsageError("--time-source " + asked + ": the profiles are tables, whose columns say what was measured", "choose a column with --stat");
  if (kind) console.note("time source: " + std::string(name_of(*kind)));
  if (kind && *kind != TimeKind::host && tables)
    console.warn("runtime_s of the profilers' files is " + std::string(name_of(*kind)) + " time; is that of the tables the same kind?");
  return kind;
}

/// Metrics that a profiler gives as means are rates, unless the user says otherwise.
void set_kinds_of_means(const std::vector<Configuration>& configurations, ProjectParams& params) {
  for (const Configuration& c : configurations)
    for (const StepProfile& profile : c.profiles)
      for (const std::string& metric : profile.means) params.kinds.try_emplace(metric, MetricKind::rate);
}

NamedMeasurements measure(Configuration& configuration, const Selection& selection, const NameRules& rules, std::optional<TimeKind> time,
                          std::uint64_t warmup, Console& console) {
  StepTables steps = tables_of(configuration.profiles, selection, rules, time, warmup);
  for (const std::string& note : steps.notes) console.warn(configuration.name + ": " + note);
  configuration.measurement_tables = configuration.tables.size();
  std::move(steps.tables.begin(), steps.tables.end(), std::back_inserter(configuration.tables));
  return {configuration.name, during(console, "matching", [&] { return match(configuration.tables, selection, warmup); })};
}

Breakdown break_down(const Selection& selection, const std::vector<Configuration>& read, const std::vector<NamedMeasurements>& measured,
                     const ProjectOptions& o, BreakdownBy by, const std::string& baseline, const Console& console) {
  std::vector<ProfiledConfiguration> configurations;
  for (std::size_t c = 0; c < read.size(); ++c)
    configurations.push_back({read[c].name, read[c].profiles, read[c].tables, read[c].measurement_tables, &measured[c].measurements});
  const Categories categories = o.categories.empty() ? Categories() : read_categories(open_shown(o.categories, console));
  return during(console, "breaking down", [&] { return break_down(selection, configurations, by, categories, baseline); });
}

std::optional<BreakdownBy> parse_by(const ProjectOptions& o) {
  const auto by = breakdown_by(o.by);
  if (!o.by.empty() && !by) throw UsageError("--by: '" + o.by + "' is no way to break down", "one of: kernel, operator, category");
  if (!o.categories.empty() && by != BreakdownBy::category) throw UsageError("--categories has no use without --by category", "add --by category");
  return by;
}

/// Rows of a whole trace that are at no point are many and expected; steps of a profiler are few, and each was meant.
void tell_matching(const NamedMeasurements& named, bool steps, Console& console) {
  const Measurements& m = named.measurements;
  const std::uint64_t others = m.rows - m.matched_rows;
  std::string text = named.name + ": " + counted(m.rows, "measurement") + ", " + std::to_string(m.matched_rows) + " of them at the points";
  if (m.warmup_rows > 0) text += "; " + std::to_string(m.warmup_rows) + " left out as warm-up";
  if (m.stubs > 0) text += "; " + std::to_string(m.stubs) + " left out as cut off";
  console.note(text);
  if (others == 0) return;
  std::string list;
  for (const std::string& row : m.unmatched) list += (list.empty() ? "" : "; ") + row;
  list = named.name + ": " + std::to_string(others) + " of no point: " + list + (others > m.unmatched.size() ? "; ..." : "");
  steps ? console.warn(list) : console.detail(list);
}

std::string missing_text(const ConfigurationProjection& c) {
  std::string list;
  for (const std::string& id : c.missing_points) list += (list.empty() ? "" : ", ") + id;
  return c.name + ": not measured: " + list + "; predicted from the other points, coverage " + number_text(100 * c.coverage, 4) + " %";
}

void tell_coverage(const Projection& projection, Console& console) {
  for (const ConfigurationProjection& c : projection.configurations)
    if (!c.missing_points.empty()) console.warn(missing_text(c));
}

/// The run of --onto, which is projected instead of the one that the points were chosen from.
std::optional<Onto> other_run(const std::string& path, SignatureKind kind, std::vector<InputRecord>& inputs, Console& console) {
  if (path.empty()) return {};
  RunFile file = read_run(open_shown(path, console), kind);
  for (const std::string& note : file.notes) console.warn(note);
  console.note("projected onto " + file.record.path + ": " + counted(file.run.iterations, "iteration"));
  inputs.push_back(file.record);
  return Onto{file.record.path, file.record.digest, std::move(file.run), 0, 0};
}

void tell_extrapolation(const Projection& projection, Console& console) {
  if (!projection.onto || projection.onto->extrapolated_share == 0) return;
  console.warn("extrapolated: " + number_text(100 * projection.onto->extrapolated_share, 3) + " % of the iterations of " +
               projection.onto->source + " lie outside the measured lengths and batch sizes, by up to " +
               number_text(100 * projection.onto->farthest, 3) + " % of their range");
}

/// Points that are missing are shown at the profile that lacks them.
std::vector<Annotation> warnings_of(const Projection& projection, const Configurations& configurations) {
  std::vector<Annotation> warnings = as_warnings(projection.notes);
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    const std::string& file = configurations[c].second.front();
    if (!projection.configurations[c].missing_points.empty())
      warnings.push_back({Annotation::Level::warning, missing_text(projection.configurations[c]), file == "-" ? "" : file});
  }
  return warnings;
}

/// An option that would change nothing is a mistake of the user's.
void require_gates_with_a_use(const ProjectOptions& o, const Configurations& configurations) {
  if (!o.max_regression && !o.against.empty())
    throw UsageError("--against without --max-regression changes nothing", "say how much slower is too slow: --max-regression 5%");
  if (!o.max_regression && o.strict) throw UsageError("--strict without --max-regression changes nothing");
  if (o.max_regression && o.against.empty() && configurations.size() == 1)
    throw UsageError("--max-regression: there is nothing to compare " + configurations.front().first + " with",
                     "give a second --profile NAME=FILE, or an earlier projection: --against FILE");
}

std::optional<ProjectionFile> read_earlier(const ProjectOptions& o, std::vector<InputRecord>& inputs, const Console& console) {
  if (o.against.empty()) return std::nullopt;
  ProjectionFile earlier = read_projection(open_shown(o.against, console));
  inputs.push_back(earlier.record);
  return earlier;
}

void apply_overheads(const ProjectOptions& o, const RunSummary& run, Projection& projection, Console& console) {
  if (!o.overhead && !o.first_seen_cost) return;
  add_overheads(projection, run, o.overhead.value_or(0), o.first_seen_cost.value_or(0));
  const Overheads& overheads = *projection.overheads;
  console.note("overheads: " + number_text(overheads.per_epoch_s) + " s for each of " + counted(run.epochs, "epoch") + " and " +
               number_text(overheads.first_seen_s) + " s for each of " + counted(overheads.signatures, "unique signature") + ": " +
               duration_text(overheads.seconds) + " in every total of seconds");
}

Gates gates_of(const ProjectOptions& o, const Projection& projection, const std::optional<ProjectionFile>& earlier) {
  Gates gates{{}, o.strict};
  if (o.max_regression)
    gates.checks = earlier ? check_regressions(projection, {earlier->projection, o.against, o.params.statistics}, *o.max_regression)
                           : check_regressions(projection, *o.max_regression);
  if (!o.require_coverage) return gates;
  for (Check& check : check_coverage(projection, *o.require_coverage)) gates.checks.push_back(std::move(check));
  return gates;
}

Findings findings_of(const Projection& projection, const Selection& selection, const Gates& gates, const Provenance& provenance) {
  TextTable rows = projection_rows(projection), table = projection_table(projection);
  if (projection.breakdown) {
    append_breakdown_rows(rows, *projection.breakdown);
    table.below.push_back(breakdown_table(*projection.breakdown));
  }
  return {.json = projection_json(projection, selection, gates, provenance),
          .rows = std::move(rows),
          .table = std::move(table),
          .junit = projection_junit(projection, gates),
          .gh_benchmark = projection_gh_benchmark(projection, Better::smaller),
          .gh_benchmark_bigger = projection_gh_benchmark(projection, Better::bigger),
          .bmf = projection_bmf(projection, selection)};
}

void add_page(Findings& findings, const ProjectOptions& o, const Projection& projection, const Selection& selection, const Gates& gates,
              const Provenance& provenance) {
  if (!o.exports.any_to_look_at()) return;
  const Report report = make_report({o.seqpoints, &selection.run, &selection, &projection, nullptr, {}, {}, &gates});
  findings.html = report_html(report, provenance);
  findings.vega = report_vega(report);
}

void require_one_standard_input(const ProjectOptions& o, const Configurations& configurations) {
  auto uses = (o.seqpoints == "-" ? 1 : 0) + (o.against == "-" ? 1 : 0) + (o.onto == "-" ? 1 : 0) + (o.reading.map == "-" ? 1 : 0);
  for (const auto& [name, paths] : configurations) uses += static_cast<int>(std::count(paths.begin(), paths.end(), "-"));
  if (uses > 1) throw UsageError("standard input (-) can be only one of the inputs");
}

std::vector<std::string> files_of(const ProjectOptions& o, const Configurations& configurations) {
  std::vector<std::string> files{o.seqpoints, o.against, o.onto, o.reading.map, o.categories};
  for (const auto& [name, paths] : configurations) files.insert(files.end(), paths.begin(), paths.end());
  return files;
}

Exit run_project(const ProjectOptions& o, const CLI::App& command, Console& console) {
  ProjectParams params = params_of(o);
  const Configurations configurations = configurations_of(o);
  require_one_standard_input(o, configurations);
  require_gates_with_a_use(o, configurations);
  if (!o.onto.empty() && !o.by.empty())
    throw UsageError("--by and --onto exclude each other", "a break-down is of the run that the points were chosen from");
  require_known(o.ci);
  refuse_to_overwrite(files_of(o, configurations), o.exports.files());
  Exports exports(o.exports);
  const std::optional<BreakdownBy> by = parse_by(o);
  const NameRules rules = name_rules(o.reading, console);
  const SeqpointsFile file = read_seqpoints(open_shown(o.seqpoints, console));
  const Selection& selection = file.selection;
  std::vector<InputRecord> inputs{file.record};
  std::vector<Configuration> read;
  for (const auto& [name, paths] : configurations) read.push_back(read_configuration(name, paths, o.reading, rules, inputs, console));
  const std::optional<TimeKind> time = time_source(read, o.time_source, console);
  set_kinds_of_means(read, params);
  std::vector<NamedMeasurements> measured;
  for (Configuration& configuration : read) {
    measured.push_back(measure(configuration, selection, rules, time, o.reading.warmup, console));
    tell_matching(measured.back(), !configuration.profiles.empty(), console);
  }
  const std::optional<Onto> other = other_run(o.onto, selection.run.varlen ? SignatureKind::varlen : SignatureKind::padded, inputs, console);
  const std::optional<ProjectionFile> earlier = read_earlier(o, inputs, console);
  Projection projection = during(console, "projecting", [&] {
    return other ? project_onto(selection, *other, measured, params) : project(selection, measured, params);
  });
  const RunSummary& run = other ? other->run : selection.run;
  apply_overheads(o, run, projection, console);
  if (earlier) require_comparable(*earlier, run, projection);
  if (time) projection.time_source = name_of(*time);
  if (by) projection.breakdown = break_down(selection, read, measured, o, *by, projection.baseline, console);
  for (const std::string& note : projection.notes) console.warn(note);
  tell_extrapolation(projection, console);
  tell_coverage(projection, console);
  const Gates gates = gates_of(o, projection, earlier);
  const Provenance provenance{options_in_force(command), inputs};
  Findings findings = findings_of(projection, selection, gates, provenance);
  during(console, "drawing", [&] { add_page(findings, o, projection, selection, gates, provenance); });
  exports.write(findings, console);
  tell_ci(o.ci, {"seqpoint project", projection_table(projection), warnings_of(projection, configurations)}, gates,
          exports.table_on_stdout(), console);
  return tell_gates(gates, console);
}

}  // namespace

void add_project(CLI::App& command, Action& chosen) {
  auto o = std::make_shared<ProjectOptions>();
  command.add_option("seqpoints", o->seqpoints, "What `seqpoint select` wrote; - is standard input")->required()->type_name("SEQPOINTS");
  command.add_option("--profile", o->profiles, "measurements of a configuration; again for others, or for more files of one")
      ->required()->type_name("NAME=FILE")->allow_extra_args(false);
  add_text(command, "--baseline", o->params.baseline, "the configuration that speedups are over [the first]", "NAME");
  command.add_option("--stat", o->params.statistics, "project this metric only; repeatable [all]")->type_name("COLUMN")->allow_extra_args(false);
  command.add_option("--kind", o->kinds, "how a metric adds up: total, rate or max [total]; repeatable")->type_name("COLUMN=KIND")->allow_extra_args(false);
  command.add_option("--rate", o->rates, "a ratio of two totals; repeatable")->type_name("NAME=A/B")->allow_extra_args(false);
  add_share(command, "--confidence", o->confidence, "of the intervals [95%]");
  command.add_flag("--robust", o->params.robust, "the median of a point's repeats instead of their mean");
  add_text(command, "--onto", o->onto, "project another run of the same model: its trace, or SeqPoints; reads its costs off a curve through the points", "TRACE");
  add_seconds(command, "--overhead", o->overhead, "what every epoch costs beside its iterations: validation, checkpoints");
  add_seconds(command, "--first-seen-cost", o->first_seen_cost, "what the first iteration of every signature costs more: compilation, autotuning");
  add_profile_options(command, o->reading);
  add_text(command, "--time-source", o->time_source, "what runtime_s is in profilers' files: host, gpu-busy, gpu-sum or gpu-span [the first they have]", "KIND");
  add_text(command, "--by", o->by, "where the time goes: by kernel, operator or category", "WHAT");
  add_text(command, "--categories", o->categories, "other categories than the built-in ones: a CSV of category,pattern (regular expressions)", "FILE");
  add_share(command, "--require-coverage", o->require_coverage, "exit with 1 if the measured points stand for less of the run");
  add_share(command, "--max-regression", o->max_regression, "exit with 1 if a total grows by more, against the baseline or --against");
  add_text(command, "--against", o->against, "what --max-regression compares with: an earlier projection; - is standard input", "PROJECTION");
  command.add_flag("--strict", o->strict, "--max-regression fails too where it cannot be decided");
  add_exports(command, o->exports);
  add_page_exports(command, o->exports);
  add_ci_exports(command, o->exports);
  add_ci(command, o->ci);
  command.footer("Examples:\n"
                 "  seqpoint project points.json --profile old=old.csv --profile new=new.csv\n"
                 "  seqpoint project points.json --profile v1=run.csv --rate ipc=instructions/cycles --json\n"
                 "  seqpoint project points.json --profile v1=run.csv --onto longer.csv   # what `seqpoint scan` wrote of another run\n"
                 "  seqpoint project points.json --profile v1=new.csv --against main.json --max-regression 5% --ci github\n"
                 "A profile is a CSV with a column point (sp1, ...), src_len or iteration, and one column a metric:\n"
                 "  src_len,runtime_s\n  213,0.171\n  498,0.402");
  command.callback([o, &command, &chosen] {
    chosen = [o, &command](Console& console) { return run_project(*o, command, console); };
  });
}

}  // namespace seqpoint::cli
