#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cli/commands/project.hpp"
#include "cli/commands/tell_findings.hpp"
#include "cli/parameters.hpp"
#include "cli/progress.hpp"
#include "core/checks/checks.hpp"
#include "core/project/cold_start.hpp"
#include "core/report/measured_totals.hpp"
#include "io/artifacts/studies.hpp"
#include "io/profiles/profile_formats.hpp"
#include "io/views/diagnosis_text.hpp"
#include "io/views/report_page.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/measure.hpp"
#include "seqpoint/project.hpp"

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
    console.note(fmt::format("{}: not projected: {}: not a cost, or not known as one; --metric NAME asks for it",
                             c.name, fmt::join(c.not_projected, ", ")));
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
      console.note(
          fmt::format("{}: {}: {}; --aggregate NAME=total adds one up", c.name, what, fmt::join(metrics, ", ")));
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
  console.note(fmt::format("overheads: {} s for each of {}: {} in every total of seconds",
                           io::views::number_text(overheads.per_epoch_s), counted(run.epochs, "epoch"),
                           io::views::duration_text(overheads.seconds)));
}

/// Beside the total, as it is once a process and not known as well.
void report_cold_start(const project::ConfigurationProjection& c, Console& console) {
  for (const project::ColdStart& cost : c.cold_start)
    console.note(fmt::format("{}: {}: cold start: about {}, at most {}, once a process: {} of {}; not in the total",
                             c.name, cost.metric, io::views::duration_text(cost.about()),
                             io::views::duration_text(cost.at_most()), counted(cost.shapes, "shape"),
                             io::views::duration_text(cost.seconds_each)));
}

void tell_executed(const project::ConfigurationProjection& c, const trace::RunSummary& run, Console& console) {
  const project::Executed& executed = c.executed;
  std::string text =
      fmt::format("{}: {} in all to measure it, {} than the run's {}", c.name,
                  counted(executed.executions, "execution"), io::views::fewer_text(executed.fewer), run.iterations);
  if (executed.fewer_tokens)
    text += fmt::format(", {} {}tokens", io::views::fewer_text(*executed.fewer_tokens),
                        run.kind == trace::SignatureKind::varlen ? "" : "padded ");
  console.note(text);
}

/// What bounds the job, by which it is known how much processes usually differ.
std::string bottleneck_text(const project::ProcessPart& part) {
  const std::string busy =
      part.device_busy ? fmt::format("device busy {}", io::views::percent_text(*part.device_busy, 2)) : "";
  const std::string differ = fmt::format("processes usually differ by {}", io::views::percent_text(part.usual, 2));
  if (part.is_given) return differ + " (--between-processes)";
  if (!part.device_busy) return "taken as host-bound (no device_busy known): " + differ;
  return fmt::format("{} ({}): {}", *part.device_busy >= select::kDeviceBoundFrom ? "device-bound" : "host-bound", busy,
                     differ);
}

/// "± 13 % includes ...": of an interval that is wide, it stands beside what else makes it so.
std::string processes_text(const project::ProcessPart& part) {
  const std::string what = part.processes == 1
                               ? "includes what processes usually differ by, as one was measured"
                               : fmt::format("includes that processes differ, of which {} were measured, by about {}",
                                             part.processes, io::views::percent_text(part.spread, 2));
  return fmt::format("± {} {}: ± {} without", io::views::percent_text(part.half_width, 2), what,
                     io::views::percent_text(part.half_width_without, 2));
}

/// More than what gates usually allow, as a share of the value.
constexpr double kWide = 0.05;

template <class Figure>
double half_width_of(const Figure& figure) {
  if (!figure.interval) return 0;
  return std::max(figure.interval->high - figure.value, figure.value - figure.interval->low) / std::abs(figure.value);
}

bool is_wide(const project::MetricProjection& m) { return project::is_total_time(m) && half_width_of(m) > kWide; }

bool has_wide(const project::ConfigurationProjection& c, const std::string& metric) {
  return std::ranges::any_of(c.metrics, [&](const auto& m) { return m.name == metric && is_wide(m); });
}

void tell_processes(const project::ConfigurationProjection& c, Console& console) {
  if (c.processes) console.note(fmt::format("{}: {}", c.name, bottleneck_text(*c.processes)));
  if (c.processes && !has_wide(c, c.processes->metric))
    console.note(fmt::format("{}: {}: {}", c.name, c.processes->metric, processes_text(*c.processes)));
}

/// Points that a configuration lacks.
std::string missing_text(const std::string& name, const std::vector<std::string>& missing, double coverage) {
  return fmt::format("{}: not measured: {}; predicted from the other points, coverage {} %", name,
                     fmt::join(missing, ", "), io::views::number_text(100 * coverage, 4));
}

/// Which run is projected, and how much of it lies outside of what was measured.
void tell_target(const project::TargetRun& target, Console& console) {
  console.note(fmt::format("projected onto {}: {}", target.source, counted(target.run.iterations, "iteration")));
  if (target.extrapolated_share > 0 && !target.selected)
    console.warn(fmt::format(
        "extrapolated: {} % of the iterations of {} lie outside the measured lengths and batch sizes, by up to {} % of "
        "their range",
        io::views::number_text(100 * target.extrapolated_share, 3), target.source,
        io::views::number_text(100 * target.largest_distance, 3)));
}

/// Says that measurements are too few for a result, `partial` saying why; empty: they are not.
Exit tell_partial(const std::string& name, const std::string& partial, bool allowed, Console& console) {
  if (partial.empty()) return kDone;
  const std::string text = fmt::format("{}: {}", name, partial);
  allowed ? console.warn(text)
          : console.error(text, "measure what is missing; --allow-partial takes the figures as they are");
  return allowed ? kDone : kGateFailed;
}

void tell(const ProjectRequest& request, const ProjectInputs& inputs, const project::Projection& projection,
          Console& console) {
  for (const project::ConfigurationProjection& c : projection.configurations) tell_kinds(c, request.params, console);
  for (const project::ConfigurationProjection& c : projection.configurations) {
    tell_executed(c, inputs.projected_run(), console);
    tell_processes(c, console);
    report_cold_start(c, console);
  }
  for (const std::string& note : inputs.onto_notes) console.warn(note);
  if (projection.target_run) tell_target(*projection.target_run, console);
  if (projection.overheads) tell_overheads(*projection.overheads, inputs.projected_run(), console);
  for (const std::string& note : projection.notes) console.warn(note);
  for (std::size_t i = 0; i < projection.configurations.size(); ++i) {
    const project::ConfigurationProjection& c = projection.configurations[i];
    const std::string& file = request.configurations[i].second.front();
    if (!c.missing_points.empty())
      console.warn(missing_text(c.name, c.missing_points, c.coverage), file == "-" ? "" : file);
  }
}

/// Why the projection is as sure as it is; `whole`: also what could not have been found, which takes the most time.
diagnose::Diagnosis diagnosis_of(const ProjectRequest& request, const ProjectInputs& inputs, const Measured& measured,
                                 const project::Projection& projection, bool whole) {
  const std::vector<checks::Joined> configurations = joined_files(inputs, measured);
  return diagnose::diagnose({.selection = &inputs.selection, .configurations = configurations}, measured.checked,
                            {.statistics = request.params.statistics,
                             .confidence = request.params.confidence,
                             .robust = request.params.robust,
                             .between_processes = request.params.between_processes,
                             .target = inputs.target(),
                             .limits = whole,
                             .overhead_s = projection.overheads ? projection.overheads->seconds : 0});
}

/// Why the interval of a total is as wide as it is, where that is much.
void tell_width(const ProjectInputs& inputs, const Measured& measured, const ProjectRequest& request,
                const project::Projection& projection, Console& console) {
  const auto any_wide = [](const auto& c) { return std::ranges::any_of(c.metrics, is_wide); };
  if (std::ranges::none_of(projection.configurations, any_wide)) return;
  const diagnose::Diagnosis diagnosis = diagnosis_of(request, inputs, measured, projection, false);
  for (const diagnose::Series& series : diagnosis.series) {
    const auto& c =
        *std::ranges::find(projection.configurations, series.configuration, &project::ConfigurationProjection::name);
    if (!has_wide(c, series.metric)) continue;
    const std::string name = series.configuration + ": " + series.metric + ": ";
    const bool of_processes = c.processes && c.processes->metric == series.metric;
    console.note(name + io::views::sentences_about(series, diagnosis.confidence).front() +
                 (of_processes ? "; " + processes_text(*c.processes) : "") + "; --explain says more");
    for (const checks::FoundFault& finding : series.findings)
      console.note(name + io::views::message_of(finding, series));
  }
}

/// A speedup is as unsure as both of its totals: says which one makes it so, where that is one of them.
void tell_width_of_speedups(const project::Projection& projection, Console& console) {
  const auto& base =
      *std::ranges::find(projection.configurations, projection.baseline, &project::ConfigurationProjection::name);
  const auto half_of_total = [](const project::ConfigurationProjection& c, const std::string& metric) {
    const project::MetricProjection* const total = project::find_metric(c, metric);
    return total == nullptr ? 0 : half_width_of(*total);
  };
  constexpr double kMuchMore = 2;  // three quarters or more of a sum of squares are one's
  for (const project::ConfigurationProjection& c : projection.configurations)
    for (const project::Speedup& speedup : c.speedups) {
      const double own = half_of_total(c, speedup.metric), other = half_of_total(base, speedup.metric);
      if (&c == &base || half_width_of(speedup) <= kWide || other < kMuchMore * own || own == 0) continue;
      console.note(
          fmt::format("{}: {}: the speedup's ± {} is mostly that of {}, whose total is known to ± {}; its own is "
                      "to ± {}",
                      c.name, speedup.metric, io::views::percent_text(half_width_of(speedup), 2), base.name,
                      io::views::percent_text(other, 2), io::views::percent_text(own, 2)));
    }
}

// --- writing -------------------------------------------------------------------------------------------------------

/// What a page and a comparison with --truth are about; without the page's title and gates.
report::ReportSource report_source(const ProjectInputs& inputs, const project::Projection& projection) {
  return {.title = {},
          .run = &inputs.selection.run,
          .selection = &inputs.selection,
          .projection = &projection,
          .traces = inputs.truths};
}

void add_page(ResultForms& forms, const ProjectRequest& request, const ProjectInputs& inputs,
              const project::Projection& projection, const project::Gates& gates,
              const io::artifacts::Provenance& provenance) {
  report::ReportSource source = report_source(inputs, projection);
  source.title = request.seqpoints;
  source.gates = &gates;
  forms.html = io::views::report_html(report::make_report(std::move(source)), provenance);
}

/// What --truth and --explain add to a projection.
struct Extras {
  std::vector<report::MeasuredTotal> truths;
  std::optional<diagnose::Diagnosis> explanation;
};

ResultForms forms_of(const ProjectRequest& request, const ProjectInputs& inputs, const project::Projection& projection,
                     const project::Gates& gates, const Extras& extras, const Console& console) {
  const io::artifacts::Provenance provenance{.options = request.options, .inputs = inputs.records};
  io::views::DataTable rows = io::views::projection_rows(projection);
  io::views::TextTable table = io::views::projection_table(projection);
  if (projection.breakdown) {
    io::views::append_breakdown_rows(rows, *projection.breakdown);
    table.below.push_back(io::views::breakdown_table(*projection.breakdown));
  }
  if (!extras.truths.empty()) table.below.push_back(io::views::truth_table(extras.truths));
  const diagnose::Diagnosis* const explanation = extras.explanation ? &*extras.explanation : nullptr;
  ResultForms forms{.json = io::artifacts::projection_json(projection, inputs.selection, gates, extras.truths,
                                                           explanation, provenance),
                    .rows = std::move(rows),
                    .table = std::move(table),
                    .junit = io::views::projection_junit(projection, gates, request.allow_partial)};
  if (explanation != nullptr)
    forms.text = io::views::as_text(forms.table) + "\n" + io::views::diagnosis_text(*explanation, request.seqpoints);
  if (request.exports.has(ExportFormat::html))
    during(console, "drawing", [&] { add_page(forms, request, inputs, projection, gates, provenance); });
  return forms;
}

/// Findings go into the explanation, if there is one: they are not told twice.
Extras extras_of(const ProjectRequest& request, const ProjectInputs& inputs, Measured& measured,
                 const project::Projection& projection, const Console& console) {
  Extras extras;
  extras.truths = report::measured_totals(report_source(inputs, projection));
  if (!request.explain) return extras;
  extras.explanation =
      during(console, "examining", [&] { return diagnosis_of(request, inputs, measured, projection, true); });
  measured.checked.findings.clear();
  return extras;
}

/// What the traces of --truth are named, and whether they are of this run.
void examine_truths(const ProjectInputs& inputs, const project::Projection& projection, Console& console) {
  std::vector<std::string> names;
  for (const evaluate::NamedTrace& truth : inputs.truths) {
    report::require_same_run(truth, inputs.selection.run);
    names.push_back(truth.name);
  }
  tell_findings(inputs.truths, names, projection, console);
}

Exit run(ProjectOptions given, const CLI::App& app, Console& console) {
  ProjectRequest request = request_of(std::move(given), app);
  Exports exports(request.exports);
  Projected projected = project_files(std::move(request), console);
  const ResultForms forms = forms_of(projected, console);
  tell(projected, console);
  exports.write(forms, console);
  const project::Projection& projection = projected.projection;
  if (!projected.request.explain)
    tell_width(projected.inputs, projected.measured, projected.request, projection, console);
  tell_width_of_speedups(projection, console);
  CiReport report{
      .title = "seqpoint project", .table = io::views::projection_table(projection), .warnings = console.warnings()};
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (!c.partial.empty() && !projected.request.allow_partial) report.failures.push_back(c.name + ": " + c.partial);
  tell_ci(projected.request.ci, report, projected.gates, exports.table_on_stdout(), console);
  return std::max(tell_gates(projected.gates, console), tell_partial(projected, console));
}

}  // namespace

Projected project_files(ProjectRequest request, Console& console) {
  ProjectInputs inputs = read_inputs(request, console);
  Measured measured =
      measure(inputs, request, console, request.explain ? checks::Depth::limits : checks::Depth::findings);
  project::Projection projection = projection_of(request, inputs, measured, console);
  std::string compared = inputs.earlier ? io::artifacts::require_comparable(*inputs.earlier, inputs.selection,
                                                                            inputs.projected_run(), projection)
                                        : "";
  if (inputs.earlier)
    for (Finding& finding : checks::findings_about_reference(projection, reference_of(request, *inputs.earlier))) {
      require_not_decisive(finding, request);
      measured.checked.findings.push_back(std::move(finding));
    }
  projection.findings = measured.checked.findings;
  project::Gates gates = gates_of(request, inputs, measured, projection);
  return {std::move(request),    std::move(inputs), std::move(measured),
          std::move(projection), std::move(gates),  std::move(compared)};
}

ResultForms forms_of(Projected& p, const Console& console) {
  const Extras extras = extras_of(p.request, p.inputs, p.measured, p.projection, console);
  return forms_of(p.request, p.inputs, p.projection, p.gates, extras, console);
}

void tell(const Projected& p, Console& console) {
  tell(p.inputs, p.measured, console);
  tell(p.request, p.inputs, p.projection, console);
  if (!p.compared.empty()) console.note(p.compared);
  examine_truths(p.inputs, p.projection, console);
}

Exit tell_partial(const Projected& p, Console& console) {
  Exit status = kDone;
  for (const project::ConfigurationProjection& c : p.projection.configurations)
    status = std::max(status, tell_partial(c.name, c.partial, p.request.allow_partial, console));
  return status;
}

Command add_project(CLI::App& program) {
  return add_command<ProjectOptions>(
      program, "project", "Whole-run time, throughput and speedup from profiles of the SeqPoints",
      "Examples:\n"
      "  seqpoint project points.json --profile old=old.csv --profile new=new.csv\n"
      "  seqpoint project points.json --profile v1=run.csv --rate ipc=instructions/cycles --json\n"
      "  seqpoint project points.json --profile v1=run.csv --for longer.csv   # what `seqpoint scan` wrote of "
      "another run\n"
      "  seqpoint project points.json --profile v1=run.csv --truth v1=whole-run.csv --explain --export html=page.html\n"
      "  seqpoint project points.json --profile v1=new.csv --against main.json --max-regression 5% --ci github\n"
      "A profile is a CSV with a column point (sp1, ...), src_len or iteration, and one column a metric:\n"
      "  src_len,runtime_s\n  213,0.171\n  498,0.402",
      declare, run);
}

}  // namespace seqpoint::cli::commands
