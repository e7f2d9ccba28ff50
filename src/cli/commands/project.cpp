#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/commands/doubts.hpp"
#include "cli/commands/project.hpp"
#include "cli/parameters.hpp"
#include "cli/progress.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/profiles/profile_formats.hpp"
#include "seqpoint/io/views/diagnosis.hpp"
#include "seqpoint/io/views/report_page.hpp"
#include "seqpoint/profile/metric_role.hpp"
#include "seqpoint/project/costs.hpp"
#include "seqpoint/project/overheads.hpp"

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
    if (inputs.onto.empty()) return project::project(inputs.selection, measured.configurations, request.params);
    return project::project_onto(inputs.selection, inputs.onto.front().target, measured.configurations, request.params);
  });
  const trace::RunSummary& run = inputs.projected_run();
  if (request.overhead || request.first_seen_cost)
    project::add_overheads(projection, run, request.overhead.value_or(0), request.first_seen_cost.value_or(0));
  if (request.gpu_terms.gpus > 0) project::add_gpu_terms(projection, run, request.gpu_terms);
  for (std::string& note : projection.notes) note = message_with_options(note);  // pages have them, too
  if (measured.time) projection.time_source = profile::name_of(*measured.time);
  if (request.by)
    projection.breakdown =
        during(console, "breaking down", [&] { return break_down(request, inputs, measured, projection.baseline); });
  return projection;
}

project::Reference reference_of(const ProjectRequest& request, const io::artifacts::ProjectionFile& earlier) {
  return {earlier.projection, request.against, request.params.statistics};
}

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
  if (!request.require_coverage) return gates;
  for (project::Check& check : project::check_coverage(projection, *request.require_coverage))
    gates.checks.push_back(std::move(check));
  return gates;
}

// --- telling -------------------------------------------------------------------------------------------------------

/// What of the profile's columns is not added up.
void tell_kinds(const project::ConfigurationProjection& c, const project::ProjectParams& params, Console& console) {
  if (!c.not_projected.empty())
    console.note(fmt::format("{}: not projected: {}: not a cost, or not known as one; --stat NAME asks for it", c.name,
                             fmt::join(c.not_projected, ", ")));
  std::vector<std::string> means, largest, memory;
  for (const project::MetricProjection& metric : c.metrics) {
    if (metric.kind == project::MetricKind::max && profile::role_of_column(metric.name) == profile::MetricRole::maximum)
      memory.push_back(metric.name);
    const bool asked = params.kinds.contains(metric.name) ||
                       std::ranges::find(params.rates, metric.name, &project::RateSpec::name) != params.rates.end();
    if (metric.kind == project::MetricKind::total || asked) continue;
    (metric.kind == project::MetricKind::max ? largest : means).push_back(metric.name);
  }
  const auto tell = [&](const std::vector<std::string>& metrics, const char* what) {
    if (!metrics.empty())
      console.note(fmt::format("{}: {}: {}; --kind NAME=total adds one up", c.name, what, fmt::join(metrics, ", ")));
  };
  tell(means, "projected as a mean over time, by the name");
  tell(largest, "projected as the most in use, by the name");
  if (!memory.empty())
    console.note(
        fmt::format("{}: {}: what the run's largest iteration has in use; what the allocator loses to "
                    "fragmentation is not in it",
                    c.name, fmt::join(memory, ", ")));
}

void tell_overheads(const project::Overheads& overheads, const trace::RunSummary& run, Console& console) {
  console.note(fmt::format("overheads: {} s for each of {} and {} s for each of {}: {} in every total of seconds",
                           io::views::number_text(overheads.per_epoch_s), counted(run.epochs, "epoch"),
                           io::views::number_text(overheads.first_seen_s),
                           counted(overheads.signatures, "unique signature"),
                           io::views::duration_text(overheads.seconds)));
}

/// What costs are of.
void tell_costs(const project::GpuTerms& terms, Console& console) {
  std::string text = fmt::format("costs: {}", counted(terms.gpus, "GPU"));
  if (terms.price) text += fmt::format(" at {} an hour each", io::views::number_text(*terms.price));
  if (terms.epochs) text += fmt::format(", also of {} like the run's", counted(*terms.epochs, "epoch"));
  if (terms.flops_per_token)
    text += fmt::format("; MFU: {} FLOPs for each of {} {}tokens, of what the GPUs can do in all that time",
                        io::views::number_text(*terms.flops_per_token), terms.tokens, terms.padded ? "padded " : "");
  console.note(text + "; their intervals are the time's");
}

void tell_processes(const project::ConfigurationProjection& c, Console& console) {
  if (!c.processes) return;
  const auto& [metric, processes, half_width, without, spread] = *c.processes;
  const std::string what = processes == 1
                               ? "includes what processes usually differ by, as one was measured"
                               : fmt::format("includes that processes differ, of which {} were measured, by about {}",
                                             processes, io::views::percent_text(spread, 2));
  console.note(fmt::format("{}: {}: ± {} {}: ± {} without", c.name, metric, io::views::percent_text(half_width, 2),
                           what, io::views::percent_text(without, 2)));
}

void tell(const ProjectRequest& request, const ProjectInputs& inputs, const project::Projection& projection,
          Console& console) {
  for (const project::ConfigurationProjection& c : projection.configurations) tell_kinds(c, request.params, console);
  for (const project::ConfigurationProjection& c : projection.configurations) tell_processes(c, console);
  for (const std::string& note : inputs.onto_notes) console.warn(note);
  if (projection.target_run) tell_target({inputs.onto.front().name, *projection.target_run}, console);
  if (projection.overheads) tell_overheads(*projection.overheads, inputs.projected_run(), console);
  if (projection.gpu_terms) tell_costs(*projection.gpu_terms, console);
  for (const std::string& note : projection.notes) console.warn(note);
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (!c.missing_points.empty()) console.warn(missing_text(c.name, c.missing_points, c.coverage));
}

/// Why an interval is as wide as it is, where that is more than what gates usually allow.
void tell_width(const ProjectInputs& inputs, const Measured& measured, const ProjectRequest& request,
                const project::Projection& projection, Console& console) {
  constexpr double kWide = 0.05;
  const auto is_wide = [](const project::MetricProjection& m) {
    return m.interval && m.kind == project::MetricKind::total && trace::is_time_metric(m.name) &&
           std::max(m.interval->high - m.value, m.value - m.interval->low) > kWide * std::abs(m.value);
  };
  std::set<std::pair<std::string, std::string>> wide;
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::MetricProjection& metric : c.metrics)
      if (is_wide(metric)) wide.emplace(c.name, metric.name);
  if (wide.empty()) return;
  const diagnose::Diagnosis diagnosis = diagnose::diagnose(inputs.selection, measured_configurations(measured),
                                                           {.statistics = {},
                                                            .confidence = request.params.confidence,
                                                            .robust = request.params.robust,
                                                            .target = inputs.target(),
                                                            .truths = {},
                                                            .limits = false,
                                                            .earlier = {}});
  for (const diagnose::Series& series : diagnosis.series) {
    if (!wide.contains({series.configuration, series.metric})) continue;
    const std::string name = series.configuration + ": " + series.metric + ": ";
    console.note(name + io::views::sentences_about(series, diagnosis.confidence).front() +
                 "; `seqpoint diagnose` says more");
    for (const diagnose::Finding& finding : series.findings)
      console.note(name + io::views::message_of(finding, series));
  }
}

/// All that was warned of. Points that are missing are shown at the profile that lacks them.
std::vector<io::views::Annotation> warnings_of(const Console& console, const project::Projection& projection,
                                               const Configurations& configurations) {
  std::vector<io::views::Annotation> warnings = as_warnings(console.warnings());
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    const std::string& file = configurations[c].second.front();
    const project::ConfigurationProjection& projected = projection.configurations[c];
    const std::string text = missing_text(projected.name, projected.missing_points, projected.coverage);
    for (io::views::Annotation& warning : warnings)
      if (warning.message == text && file != "-") warning.file = file;
  }
  return warnings;
}

// --- writing -------------------------------------------------------------------------------------------------------

void add_page(Findings& findings, const ProjectRequest& request, const ProjectInputs& inputs,
              const project::Projection& projection, const project::Gates& gates,
              const io::artifacts::Provenance& provenance) {
  const report::Report report = report::make_report({.title = request.seqpoints,
                                                     .run = &inputs.selection.run,
                                                     .selection = &inputs.selection,
                                                     .projection = &projection,
                                                     .gates = &gates});
  findings.html = io::views::report_html(report, provenance);
}

Findings findings_of(const ProjectRequest& request, const ProjectInputs& inputs, const project::Projection& projection,
                     const project::Gates& gates, const Console& console) {
  const io::artifacts::Provenance provenance{.options = request.options, .inputs = inputs.records};
  io::views::TextTable rows = io::views::projection_rows(projection), table = io::views::projection_table(projection);
  if (projection.breakdown) {
    io::views::append_breakdown_rows(rows, *projection.breakdown);
    table.below.push_back(io::views::breakdown_table(*projection.breakdown));
  }
  Findings findings{.json = io::artifacts::projection_json(projection, inputs.selection, gates, provenance),
                    .rows = std::move(rows),
                    .table = std::move(table),
                    .junit = io::views::projection_junit(projection, gates),
                    .gh_benchmark = io::views::projection_gh_benchmark(projection),
                    .bmf = io::views::projection_bmf(projection, inputs.selection)};
  if (!request.exports.html.empty())
    during(console, "drawing", [&] { add_page(findings, request, inputs, projection, gates, provenance); });
  return findings;
}

Exit run(ProjectRequest request, Console& console) {
  Exports exports(request.exports);
  ProjectInputs inputs = read_inputs(request, console);
  Measured measured = measure(inputs, request, console);
  if (inputs.onto.size() > 1) return rank_runs(request, inputs, measured, exports, console);
  const project::Projection projection = projection_of(request, inputs, measured, console);
  const std::string compared = inputs.earlier ? io::artifacts::require_comparable(*inputs.earlier, inputs.selection,
                                                                                  inputs.projected_run(), projection)
                                              : "";
  if (inputs.earlier)
    for (std::string& line :
         lines_of("", project::doubts_about_reference(projection, reference_of(request, *inputs.earlier)),
                  request.max_regression ? "--max-regression" : ""))
      measured.doubts.push_back(std::move(line));
  const project::Gates gates = gates_of(request, inputs, measured, projection);
  const Findings findings = findings_of(request, inputs, projection, gates, console);
  tell(inputs, measured, console);
  tell(request, inputs, projection, console);
  if (!compared.empty()) console.note(compared);
  exports.write(findings, console);
  tell_width(inputs, measured, request, projection, console);
  const CiReport report{.title = "seqpoint project",
                        .table = io::views::projection_table(projection),
                        .warnings = warnings_of(console, projection, request.configurations)};
  tell_ci(request.ci, report, gates, exports.table_on_stdout(), console);
  return tell_gates(gates, console);
}

}  // namespace

CommandSpec project_command() {
  return command_of<ProjectOptions, ProjectRequest>(
      "project", "Whole-run time, throughput and speedup from profiles of the SeqPoints",
      "Examples:\n"
      "  seqpoint project points.json --profile old=old.csv --profile new=new.csv\n"
      "  seqpoint project points.json --profile v1=run.csv --rate ipc=instructions/cycles --json\n"
      "  seqpoint project points.json --profile v1=run.csv --onto longer.csv   # what `seqpoint scan` wrote of "
      "another run\n"
      "  seqpoint project points.json --profile v1=run.csv --onto now=points.json --onto sorted.csv --onto "
      "bucketed.csv   # ranked\n"
      "  seqpoint project points.json --profile v1=new.csv --against main.json --max-regression 5% --ci github\n"
      "A profile is a CSV with a column point (sp1, ...), src_len or iteration, and one column a metric:\n"
      "  src_len,runtime_s\n  213,0.171\n  498,0.402",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
