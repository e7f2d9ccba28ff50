#include "../command.hpp"
#include "../gates.hpp"
#include "../shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/projection_onto.hpp"
#include "seqpoint/overheads.hpp"

namespace seqpoint::cli {
namespace {

struct ProjectOptions {
  std::string seqpoints, onto;
  std::vector<std::string> profiles, kinds, rates;  ///< as typed
  ProjectParams params;
  std::uint64_t warmup = 0;
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

NamedMeasurements measure(const std::string& name, const std::vector<std::string>& paths, const Selection& selection,
                          std::uint64_t warmup, std::vector<InputRecord>& inputs, Console& console) {
  std::vector<ProfileTable> files;
  for (const std::string& path : paths) {
    ProfileFile file = read_profile(Input::open(path));
    for (const std::string& note : file.notes) console.warn(note);
    inputs.push_back(file.record);
    files.push_back(std::move(file.table));
  }
  return {name, match(files, selection, warmup)};
}

void tell_matching(const NamedMeasurements& named, Console& console) {
  const Measurements& m = named.measurements;
  const std::uint64_t others = m.rows - m.matched_rows;
  std::string text = named.name + ": " + counted(m.rows, "measurement") + ", " + std::to_string(m.matched_rows) + " of them at the points";
  if (m.warmup_rows > 0) text += "; " + std::to_string(m.warmup_rows) + " left out as warm-up";
  console.note(text);
  if (others == 0) return;
  std::string list;
  for (const std::string& row : m.unmatched) list += (list.empty() ? "" : "; ") + row;
  console.detail(named.name + ": " + std::to_string(others) + " of no point: " + list + (others > m.unmatched.size() ? "; ..." : ""));
}

std::string missing_text(const ConfigurationProjection& c, bool onto) {
  std::string list;
  for (const std::string& id : c.missing_points) list += (list.empty() ? "" : ", ") + id;
  const char* const stand_ins = onto ? "; read off the other points" : "; the weight went to the nearest measured points";
  return c.name + ": not measured: " + list + stand_ins + ", coverage " + number_text(100 * c.coverage, 4) + " %";
}

void tell_coverage(const Projection& projection, Console& console) {
  for (const ConfigurationProjection& c : projection.configurations)
    if (!c.missing_points.empty()) console.warn(missing_text(c, projection.onto.has_value()));
}

/// The run of --onto, which is projected instead of the one that the points were chosen from.
std::optional<Onto> other_run(const std::string& path, std::vector<InputRecord>& inputs, Console& console) {
  if (path.empty()) return {};
  RunFile file = read_run(Input::open(path));
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
      warnings.push_back({Annotation::Level::warning, missing_text(projection.configurations[c], projection.onto.has_value()), file == "-" ? "" : file});
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

std::optional<ProjectionFile> read_earlier(const ProjectOptions& o, std::vector<InputRecord>& inputs) {
  if (o.against.empty()) return std::nullopt;
  ProjectionFile earlier = read_projection(Input::open(o.against));
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
  return {.json = projection_json(projection, selection, gates, provenance),
          .rows = projection_rows(projection),
          .table = projection_table(projection),
          .junit = projection_junit(projection, gates),
          .gh_benchmark = projection_gh_benchmark(projection, Better::smaller),
          .gh_benchmark_bigger = projection_gh_benchmark(projection, Better::bigger),
          .bmf = projection_bmf(projection, selection)};
}

void require_one_standard_input(const ProjectOptions& o, const Configurations& configurations) {
  auto uses = (o.seqpoints == "-" ? 1 : 0) + (o.against == "-" ? 1 : 0) + (o.onto == "-" ? 1 : 0);
  for (const auto& [name, paths] : configurations) uses += static_cast<int>(std::count(paths.begin(), paths.end(), "-"));
  if (uses > 1) throw UsageError("standard input (-) can be only one of the inputs");
}

std::vector<std::string> files_of(const ProjectOptions& o, const Configurations& configurations) {
  std::vector<std::string> files{o.seqpoints, o.against, o.onto};
  for (const auto& [name, paths] : configurations) files.insert(files.end(), paths.begin(), paths.end());
  return files;
}

Exit run_project(const ProjectOptions& o, const CLI::App& command, Console& console) {
  const ProjectParams params = params_of(o);
  const Configurations configurations = configurations_of(o);
  require_one_standard_input(o, configurations);
  require_gates_with_a_use(o, configurations);
  require_known(o.ci);
  refuse_to_overwrite(files_of(o, configurations), o.exports.files());
  Exports exports(o.exports);
  const auto [selection, record] = read_seqpoints(Input::open(o.seqpoints));
  std::vector<InputRecord> inputs{record};
  std::vector<NamedMeasurements> measured;
  for (const auto& [name, paths] : configurations) {
    measured.push_back(measure(name, paths, selection, o.warmup, inputs, console));
    tell_matching(measured.back(), console);
  }
  const std::optional<Onto> other = other_run(o.onto, inputs, console);
  const std::optional<ProjectionFile> earlier = read_earlier(o, inputs);
  Projection projection = other ? project_onto(selection, *other, measured, params) : project(selection, measured, params);
  const RunSummary& run = other ? other->run : selection.run;
  apply_overheads(o, run, projection, console);
  if (earlier) require_comparable(*earlier, run, projection);
  for (const std::string& note : projection.notes) console.warn(note);
  tell_extrapolation(projection, console);
  tell_coverage(projection, console);
  const Gates gates = gates_of(o, projection, earlier);
  exports.write(findings_of(projection, selection, gates, {options_in_force(command), inputs}));
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
  add_count(command, "--warmup", o->warmup, "leave out the first N rows of every profile");
  add_seconds(command, "--overhead", o->overhead, "what every epoch costs beside its iterations: validation, checkpoints");
  add_seconds(command, "--first-seen-cost", o->first_seen_cost, "what the first iteration of every signature costs more: compilation, autotuning");
  add_share(command, "--require-coverage", o->require_coverage, "exit with 1 if the measured points stand for less of the run");
  add_share(command, "--max-regression", o->max_regression, "exit with 1 if a total grows by more, against the baseline or --against");
  add_text(command, "--against", o->against, "what --max-regression compares with: an earlier projection; - is standard input", "PROJECTION");
  command.add_flag("--strict", o->strict, "--max-regression fails too where it cannot be decided");
  add_exports(command, o->exports);
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
