#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "cli/commands/project.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/parameters.hpp"
#include "cli/progress.hpp"
#include "core/findings.hpp"
#include "core/findings/checks.hpp"
#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/report/report.hpp"
#include "io/artifacts/studies.hpp"
#include "io/profiles/profile_formats.hpp"
#include "io/views/diagnosis_text.hpp"
#include "io/views/report_page.hpp"
#include "io/views/where.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

// --- computing -----------------------------------------------------------------------------------------------------

project::Breakdown break_down(const ProjectRequest& request, const ProjectInputs& inputs, const Measured& measured,
                              const std::string& baseline) {
  std::vector<project::ProfiledConfiguration> configurations;
  for (std::size_t c = 0; c < inputs.configurations.size(); ++c)
    configurations.push_back({.name = inputs.configurations[c].name,
                              .profiles = inputs.configurations[c].profiles,
                              .tables = measured.tables[c].tables,
                              .first_table = measured.tables[c].first_of_profiles,
                              .measurements = &measured.configurations[c].measurements});
  return project::break_down(inputs.selection, configurations, *request.by, *inputs.categories, baseline);
}

project::Projection projection_of(const ProjectRequest& request, const ProjectInputs& inputs, const Measured& measured,
                                  const Console& console) {
  project::Projection projection = during(console, "projecting", [&] {
    if (!inputs.onto) return project::project(inputs.selection, measured.configurations, request.params);
    return project::project_onto(inputs.selection, *inputs.onto, measured.configurations, request.params);
  });
  for (std::string& note : projection.notes) note = message_with_options(note);  // pages show them, too
  if (measured.time) projection.time_source = profile::name_of(*measured.time);
  if (request.by)
    projection.breakdown =
        during(console, "breaking down", [&] { return break_down(request, inputs, measured, projection.baseline); });
  return projection;
}

project::Reference reference_of(const ProjectRequest& request, const io::artifacts::ProjectionFile& earlier) {
  return {earlier.projection, request.against, request.params.metrics};
}

/// The checks of --max-regression, against the baseline or the earlier projection, and of --require-weight.
project::Gates gates_of(const ProjectRequest& request, const ProjectInputs& inputs, const Measured& measured,
                        const project::Projection& projection) {
  project::Gates gates{.checks = {}, .inconclusive_fails = request.inconclusive_fails};
  const std::optional<io::artifacts::ProjectionFile>& earlier = inputs.earlier;
  if (request.max_regression)
    gates.checks =
        earlier ? project::check_regressions(projection, reference_of(request, *earlier), *request.max_regression)
                : project::check_regressions(projection, *request.max_regression);
  project::add_advice(gates.checks, projection, earlier.has_value(), inputs.selection, inputs.target(),
                      measured.configurations, request.params);
  if (!request.require_weight) return gates;
  for (project::Check& check : project::check_measured_weight(projection, *request.require_weight))
    gates.checks.push_back(std::move(check));
  return gates;
}

/// Throws UsageError if the earlier projection has none of the configurations: they are compared by name.
void require_common_configuration(const ProjectRequest& request, const io::artifacts::ProjectionFile& earlier) {
  std::vector<std::string> there;
  for (const project::ConfigurationProjection& c : earlier.projection.configurations) there.push_back(c.name);
  const auto is_there = [&](const auto& given) { return std::ranges::find(there, given.first) != there.end(); };
  if (there.empty() || std::ranges::any_of(request.configurations, is_there)) return;
  throw UsageError(
      fmt::format("--against: {} has no build '{}'", earlier.record.path, request.configurations.front().first),
      fmt::format("it has {}: give a profile that name, --profile {}=FILE", fmt::join(there, ", "), there.front()));
}

/// Throws UsageError if --by phase was given, and a configuration has no phases.
void require_phases(const ProjectRequest& request, const project::Projection& projection) {
  if (!request.params.time_parts) return;
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (c.phases.empty())
      throw UsageError(fmt::format("--by phase: {} has no phases: columns wait_s, forward_s, backward_s, ... of every "
                                   "row beside runtime_s",
                                   c.name),
                       "measure it with this version of the companion, without --no-phases");
}

// --- writing -------------------------------------------------------------------------------------------------------

/// The subjects of a page and of a comparison with --truth; without gates.
report::ReportSource report_source(const Projected& p) {
  return {.run = &p.inputs.selection.run,
          .selection = &p.inputs.selection,
          .projection = &p.projection,
          .traces = p.inputs.truths,
          .any_draw = p.request.is_of_run};
}

/// The HTML page.
std::string page_of(const Projected& p, const io::views::PageTexts& texts,
                    const io::artifacts::Provenance& provenance) {
  report::ReportSource source = report_source(p);
  for (std::size_t c = 0; c < p.measured.tables.size(); ++c)
    source.tables.emplace_back(p.measured.configurations[c].name, p.measured.tables[c].tables);
  source.gates = &p.gates;
  source.diagnosis = p.diagnosis ? &*p.diagnosis : nullptr;
  return io::views::report_html(report::make_report(std::move(source)), texts, provenance);
}

/// Unless metrics are requested, only the time is projected, if every configuration has one.
void choose_metrics(ProjectRequest& request, const Measured& measured) {
  const auto all_have = [&](const std::string& metric) {
    return std::ranges::all_of(measured.configurations, [&](const project::NamedMeasurements& named) {
      return std::ranges::find(named.measurements.metrics, metric) != named.measurements.metrics.end();
    });
  };
  if (!request.only_time || !all_have("runtime_s")) return;
  std::vector<std::string>& chosen = request.params.metrics;
  chosen = {"runtime_s"};
  for (const auto& [metric, kind] : request.params.aggregate)
    if (std::ranges::find(chosen, metric) == chosen.end()) chosen.push_back(metric);
}

/// Drops findings about times that are not projected. Severe ones stay: they question the whole file.
void keep_findings_of(const std::vector<std::string>& metrics, std::vector<Finding>& found) {
  if (metrics.empty()) return;
  std::erase_if(found, [&](const Finding& finding) {
    const std::string& field = finding.place.field;
    return !finding.severe && trace::is_time_metric(field) && std::ranges::find(metrics, field) == metrics.end();
  });
}

/// Whether all limits are decided: then there is nothing left to do.
bool is_decided(const project::Gates& gates) {
  return !gates.checks.empty() && std::ranges::all_of(gates.checks, [](const project::Check& check) {
    return check.verdict == project::Verdict::pass || check.verdict == project::Verdict::fail;
  });
}

/// The texts of a page: the command, all warnings so far, those of --explain, and the next step.
io::views::PageTexts page_texts(const Projected& p, const CLI::App& app, const Console& console) {
  io::views::PageTexts texts{.warnings = console.warnings(), .facts = {{"command", command_of(app)}}};
  std::ranges::move(places_of(p), std::back_inserter(texts.facts));
  if (!p.diagnosis) return texts;
  if (!is_decided(p.gates)) texts.next = io::views::next_text(*p.diagnosis, p.request.seqpoints);
  if (p.request.explain)
    for (const std::string& problem : io::views::problems_of(*p.diagnosis))
      texts.warnings.push_back({.message = problem});
  return texts;
}

Exit run(ProjectOptions given, const CLI::App& app, Console& console) {
  ProjectRequest request = request_of(std::move(given), app);
  Exports exports(request.exports);
  Projected projected = project_files(std::move(request), console);
  require_phases(projected.request, projected.projection);
  examine(projected, console);
  tell(projected, console);
  warn_of_disagreement(projected, console);
  const std::string about_width = examine_width(projected);
  ResultForms forms = forms_of(projected, page_texts(projected, app, console), console);
  forms.junit = io::views::projection_junit("seqpoint.project", projected.projection, projected.gates,
                                            projected.request.allow_partial);
  exports.write(forms, console);
  if (!about_width.empty()) console.note(about_width);
  const project::Projection& projection = projected.projection;
  CiReport report{
      .title = "seqpoint project", .table = io::views::projection_table(projection), .warnings = console.warnings()};
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (!c.partial.empty() && !projected.request.allow_partial) report.failures.push_back(c.name + ": " + c.partial);
  report_ci(projected.request.ci, report, projected.gates, exports.table_on_stdout(), console);
  const Exit partial = report_partial(projected, console);
  return std::max(partial, report_gates(projected.gates, console));  // the verdict is the last line
}

}  // namespace

Projected project_files(ProjectRequest request, Console& console) {
  ProjectInputs inputs = read_inputs(request, console);
  if (inputs.earlier) require_common_configuration(request, *inputs.earlier);
  Measured measured = measure(inputs, request, console);
  choose_metrics(request, measured);
  keep_findings_of(request.params.metrics, measured.findings);
  project::Projection projection = projection_of(request, inputs, measured, console);
  std::string compared = inputs.earlier ? io::artifacts::require_comparable(*inputs.earlier, inputs.selection,
                                                                            inputs.projected_run(), projection)
                                        : "";
  if (inputs.earlier)
    for (Finding& finding : findings::findings_about_reference(projection, reference_of(request, *inputs.earlier))) {
      require_not_decisive(finding, request);
      measured.findings.push_back(std::move(finding));
    }
  projection.findings = measured.findings;
  project::Gates gates = gates_of(request, inputs, measured, projection);
  add_where(gates, projection);
  return {std::move(request),    std::move(inputs), std::move(measured),
          std::move(projection), std::move(gates),  std::move(compared)};
}

void add_where(project::Gates& gates, const project::Projection& projection) {
  for (project::Check& check : gates.checks)
    for (const project::ConfigurationProjection& c : projection.configurations)
      if (check.metric == "runtime_s" && check.reference == projection.baseline && check.configuration == c.name)
        check.where = io::views::where_text(c);
}

void project_again(Projected& p, double confidence, const Console& console) {
  p.request.params.confidence = confidence;
  p.projection = projection_of(p.request, p.inputs, p.measured, console);
  p.projection.findings = p.measured.findings;
  p.gates = gates_of(p.request, p.inputs, p.measured, p.projection);
  add_where(p.gates, p.projection);
}

findings::Diagnosis diagnosis_of(const Projected& p, bool whole) {
  const std::optional<project::Overheads>& overheads = p.projection.overheads;
  return findings::diagnose(p.inputs.selection, p.measured.configurations, p.measured.findings,
                            {.metrics = p.request.params.metrics,
                             .confidence = p.request.params.confidence,
                             .median = p.request.params.median,
                             .between_processes = p.request.params.between_processes,
                             .target = p.inputs.target(),
                             .leave_out = whole,
                             .overhead_s = overheads ? overheads->seconds : 0});
}

void examine(Projected& p, const Console& console) {
  if (!p.request.explain && !p.request.exports.has(ExportFormat::html)) return;
  p.diagnosis = during(console, "examining", [&] { return diagnosis_of(p, p.request.explain); });
  if (p.request.explain) p.measured.findings.clear();
}

namespace {

/// "2026-11-20, python 3.11.7, torch 2.15.0" from "date=2026-11-20T10:00:00+00:00 clock=perf_counter python=3.11.7
/// torch=2.15.0 hip=None", as the companion writes it.
std::string recorder_text(const std::string& recorded_by) {
  std::vector<std::string> words;
  std::istringstream pairs(recorded_by);
  for (std::string pair; pairs >> pair;) {
    const std::size_t equals = pair.find('=');
    const std::string name = pair.substr(0, equals), value = equals == pair.npos ? "" : pair.substr(equals + 1);
    if (name == "date")
      words.push_back(value.substr(0, value.find('T')));
    else if (name != "clock" && name != "resolution_s" && value != "None")
      words.push_back(value.empty() ? name : fmt::format("{} {}", name, value));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::set<std::string> recorders_of(std::span<const profile::ProfileTable> tables) {
  std::set<std::string> texts;
  for (const profile::ProfileTable& table : tables)
    for (const std::string& recorder : table.recorders) texts.insert(recorder_text(recorder));
  return texts;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> places_of(const Projected& p) {
  std::vector<std::pair<std::string, std::string>> places;
  for (std::size_t c = 0; c < p.measured.tables.size(); ++c) {
    std::set<std::string> names;
    for (const profile::ProfileTable& table : p.measured.tables[c].tables)
      for (const profile::Origin& origin : table.origins)
        names.insert(origin.host + (origin.host.empty() || origin.device.empty() ? "" : ", ") + origin.device);
    names.merge(recorders_of(p.measured.tables[c].tables));
    names.erase("");
    if (!names.empty())
      places.emplace_back(p.measured.configurations[c].name, fmt::format("{}", fmt::join(names, "; ")));
  }
  return places;
}

std::vector<report::MeasuredTotal> measured_totals_of(const Projected& p) {
  return report::measured_totals(report_source(p));
}

ResultForms forms_of(const Projected& p, const io::views::PageTexts& texts, const Console& console) {
  const io::artifacts::Provenance provenance{.options = p.request.options, .inputs = p.inputs.records};
  const std::vector<report::MeasuredTotal> truths = measured_totals_of(p);
  io::views::DataTable rows = io::views::projection_rows(p.projection);
  io::views::TextTable table = io::views::projection_table(p.projection, console.verbose());
  if (p.projection.breakdown) {
    io::views::append_breakdown_rows(rows, *p.projection.breakdown);
    table.below.push_back(io::views::breakdown_table(*p.projection.breakdown));
  }
  if (std::ranges::any_of(p.projection.configurations, [](const auto& c) { return !c.phases.empty(); })) {
    io::views::append_phase_rows(rows, p.projection);
    table.below.push_back(io::views::phases_table(p.projection));
    if (io::views::TextTable by_length = io::views::by_length_table(p.projection); by_length.rows.size() > 1)
      table.below.push_back(std::move(by_length));
  }
  if (!truths.empty()) table.below.push_back(io::views::truth_table(truths));
  const findings::Diagnosis* const explanation = p.request.explain ? &*p.diagnosis : nullptr;
  ResultForms forms{.json = io::artifacts::projection_json(p.projection, p.inputs.selection, p.gates, truths,
                                                           explanation, provenance, texts.contradictions),
                    .rows = std::move(rows),
                    .table = std::move(table),
                    .verdicts = io::views::verdicts_markdown(p.gates)};
  if (explanation != nullptr)
    forms.text = io::views::as_text(forms.table) + "\n" + io::views::diagnosis_text(*explanation, p.request.seqpoints);
  if (p.request.exports.has(ExportFormat::html))
    forms.html = during(console, "drawing", [&] { return page_of(p, texts, provenance); });
  return forms;
}

Command add_project(CLI::App& program) {
  return add_command<ProjectOptions>(
      program, "project", "Predict epoch time and speedup; check for regressions",
      "Examples:\n"
      "  seqpoint project points.json --profile old=old.csv --profile new=new.csv\n"
      "  seqpoint project points.json --profile v1=run.csv --rate ipc=instructions/cycles\n"
      "  seqpoint project points.json --profile v1=run.csv --for longer.csv\n"
      "  seqpoint project points.json --profile v1=run.csv --truth v1=whole.csv --explain\n"
      "  seqpoint project points.json --profile v1=new.csv --against main.json --max-regression 5%\n"
      "  seqpoint project points.json --profile old=old.csv --profile new=new.csv --by phase\n"
      "A profile is a CSV with a column point (sp1, ...), src_len or iteration, and one column a metric:\n"
      "  src_len,runtime_s\n  213,0.171\n  498,0.402",
      declare, run);
}

}  // namespace seqpoint::cli::commands
