#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cli/commands/project.hpp"
#include "cli/commands/report_findings.hpp"
#include "cli/parameters.hpp"
#include "cli/progress.hpp"
#include "core/checks/checks.hpp"
#include "core/findings.hpp"
#include "core/profile/measure.hpp"
#include "core/project/cold_start.hpp"
#include "core/project/projection.hpp"
#include "core/report/measured_totals.hpp"
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
      fmt::format("--against: {} has no configuration '{}'", earlier.record.path, request.configurations.front().first),
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

// --- reporting -----------------------------------------------------------------------------------------------------

/// Reports columns of the profile that are not projected, and metrics that are projected as a mean or a maximum because
/// of their names.
void report_kinds(const project::ConfigurationProjection& c, const project::ProjectParams& params, Console& console) {
  if (!c.not_projected.empty())
    console.note(fmt::format("{}: not projected, as not known as costs: {} (--metric NAME asks for one)", c.name,
                             fmt::join(c.not_projected, ", ")));
  std::vector<std::string> means, largest, memory;
  for (const project::MetricProjection& metric : c.metrics) {
    if (metric.kind == project::MetricKind::max && profile::role_of_column(metric.name) == profile::MetricRole::maximum)
      memory.push_back(metric.name);
    const bool asked = params.aggregate.contains(metric.name) ||
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
  tell(largest, "projected as a maximum, by the name");
  if (!memory.empty())
    console.detail(fmt::format("{}: {}: memory in use by the run's largest batch, without fragmentation", c.name,
                               fmt::join(memory, ", ")));
}

/// Reports the seconds of validation and checkpoints that every total in seconds includes, and the number of epochs.
void report_overheads(const project::Overheads& overheads, const trace::RunSummary& run, Console& console) {
  console.note(fmt::format("overhead: {} in {}, in every total of seconds", io::views::duration_text(overheads.seconds),
                           counted(run.epochs, "epoch")));
}

/// "name: ", if there are several configurations.
std::string prefix_of(const project::ConfigurationProjection& c, const project::Projection& projection) {
  return projection.configurations.size() > 1 ? c.name + ": " : "";
}

/// Reports the cost of cold start. The total excludes that cost, because cold start occurs once per process and is less
/// certain.
void report_cold_start(const project::ConfigurationProjection& c, const std::string& prefix, Console& console) {
  for (const project::ColdStart& cost : c.cold_start)
    console.note(fmt::format("{}cold start{}: about {} once a process ({}), at most {}; not in the total", prefix,
                             c.cold_start.size() > 1 ? " (" + cost.metric + ")" : "",
                             io::views::duration_text(cost.about()), counted(cost.shapes, "shape"),
                             io::views::duration_text(cost.at_most())));
}

/// Prints the text of every configuration that has one, after its name; a single line without names if all are equal.
void report_once(const project::Projection& projection, const auto& text_of, Console& console) {
  std::vector<std::string> texts;
  for (const project::ConfigurationProjection& c : projection.configurations) texts.push_back(text_of(c));
  const bool same = std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); });
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!texts[i].empty() && (i == 0 || !same))
      console.note(same ? texts[i] : projection.configurations[i].name + ": " + texts[i]);
}

/// "measured 44 batches instead of 446 (10x fewer)", warm-up included; without a factor if the profile does not show
/// its warm-up, whose batches were run as well. Empty unless fewer batches were run than the run has.
std::string executed_text(const project::ConfigurationProjection& c, const trace::RunSummary& run) {
  if (c.executed.executions >= run.iterations) return "";
  if (c.executed.warmup == 0)
    return fmt::format("measured {} of {}; warm-up is not in the profile", grouped(c.executed.executions),
                       counted(run.iterations, "batch"));
  return "measured " + io::views::reduction_text(c.executed.executions, run.iterations, "batch");
}

/// "device-bound (device busy 93 %): processes usually differ by 0.25 %", the prior of between-process variation; empty
/// if the user gave that variation, or device_busy is not known.
std::string bottleneck_text(const project::ConfigurationProjection& c) {
  if (!c.processes || c.processes->is_given || !c.processes->device_busy) return "";
  const bool device = *c.processes->device_busy >= select::kDeviceBoundFrom;
  return fmt::format("{} (device busy {}): processes usually differ by {}", device ? "device-bound" : "host-bound",
                     io::views::percent_text(*c.processes->device_busy, 2),
                     io::views::percent_text(c.processes->usual, 2));
}

/// Prints details about the assumed between-process variation and its part of the interval.
void report_processes(const project::ConfigurationProjection& c, Console& console) {
  if (!c.processes) return;
  const project::ProcessPart& part = *c.processes;
  if (!part.device_busy && !part.is_given)
    console.detail(fmt::format("{}: no column device_busy: assumed that processes differ by {}, as on a host", c.name,
                               io::views::percent_text(part.usual, 2)));
  console.detail(fmt::format("{}: {}: ± {}, and ± {} without between-process variation", c.name, part.metric,
                             io::views::percent_text(part.half_width, 2),
                             io::views::percent_text(part.half_width_without, 2)));
}

/// Intervals wider than this share of the value decide little.
constexpr double kWide = 0.1;

/// Whether the metric is a total of seconds whose interval is wider than ± kWide.
bool is_wide(const project::MetricProjection& m) {
  return project::is_total_time(m) && m.interval && project::relative_half_width(m.value, m.interval) > kWide;
}

/// Whether a configuration's metric of that name is_wide().
bool has_wide(const project::ConfigurationProjection& c, const std::string& metric) {
  return std::ranges::any_of(c.metrics, [&](const auto& m) { return m.name == metric && is_wide(m); });
}

/// Names up to three points that a configuration did not measure, and the measured weight.
std::string missing_text(const std::string& name, const std::vector<std::string>& missing, double measured_weight) {
  constexpr std::size_t kMaxShown = 3;
  const std::size_t shown = std::min(kMaxShown, missing.size());
  std::string points =
      fmt::format("{}", fmt::join(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < missing.size()) points += fmt::format(" and {} more", missing.size() - shown);
  return fmt::format("{}: not measured: {}; predicted from the other points (measured weight {})", name, points,
                     io::views::percent_text(measured_weight, 3));
}

/// Reports the projected run, and how much of it lies outside of the measured range.
void report_target(const project::TargetRun& target, Console& console) {
  console.note(fmt::format("projected for {}: {}", target.source, counted(target.run.iterations, "batch")));
  if (target.extrapolated_share > 0 && !target.selected)
    console.warn(fmt::format("extrapolated: {} of the batches of {} lie outside the measured shapes, by up to {}",
                             io::views::percent_text(target.extrapolated_share, 2), target.source,
                             io::views::percent_text(target.largest_distance, 2)),
                 "measure points that are selected from that run");
}

/// Reports that measurements are insufficient, for the reason `partial`; nothing if that is empty. kGateFailed unless
/// it is empty or `allowed`.
Exit report_partial(const std::string& name, const std::string& partial, bool allowed, Console& console) {
  if (partial.empty()) return kDone;
  const std::string text = fmt::format("{}: {}", name, partial);
  allowed ? console.warn(text, "measure what is missing")
          : console.error(text, "measure what is missing; --allow-partial accepts the estimate");
  return allowed ? kDone : kGateFailed;
}

void tell(const ProjectRequest& request, const ProjectInputs& inputs, const project::Projection& projection,
          Console& console) {
  for (const project::ConfigurationProjection& c : projection.configurations) report_kinds(c, request.params, console);
  report_once(
      projection, [&](const auto& c) { return executed_text(c, inputs.projected_run()); }, console);
  report_once(projection, bottleneck_text, console);
  for (const project::ConfigurationProjection& c : projection.configurations) {
    report_processes(c, console);
    report_cold_start(c, prefix_of(c, projection), console);
  }
  for (const std::string& note : inputs.onto_notes) console.warn(note);
  if (projection.target_run) report_target(*projection.target_run, console);
  if (projection.overheads) report_overheads(*projection.overheads, inputs.projected_run(), console);
  for (const std::string& note : projection.notes) console.warn(note);
  for (std::size_t i = 0; i < projection.configurations.size(); ++i) {
    const project::ConfigurationProjection& c = projection.configurations[i];
    const std::string& file = request.configurations[i].second.front();
    if (!c.missing_points.empty())
      console.warn(missing_text(c.name, c.missing_points, c.measured_weight), "measure the missing points",
                   file == "-" ? "" : file);
  }
}

/// Explains the certainty of the projection; `whole`: with detection limits, which take the most time.
diagnose::Diagnosis diagnosis_of(const ProjectRequest& request, const ProjectInputs& inputs, const Measured& measured,
                                 const project::Projection& projection, bool whole) {
  const std::vector<checks::Joined> configurations = joined_files(inputs, measured);
  return diagnose::diagnose({.selection = &inputs.selection, .configurations = configurations}, measured.checked,
                            {.metrics = request.params.metrics,
                             .confidence = request.params.confidence,
                             .median = request.params.median,
                             .between_processes = request.params.between_processes,
                             .target = inputs.target(),
                             .limits = whole,
                             .overhead_s = projection.overheads ? projection.overheads->seconds : 0});
}

/// "mostly interpolation between points; select more points": the largest part of an interval's variance, and how to
/// narrow the interval. "almost all" above 90 %, "mostly" above half, else "partly"; never empty, because
/// the parts add up to 1. One process does not show how much processes differ, so that part is assumed.
std::string width_text(const diagnose::Width& width) {
  struct Cause {
    double share;
    const char *name, *action;
  };
  const bool one = width.processes == 1;
  const std::array causes{
      Cause{width.between_processes, one ? "between-process variation (assumed)" : "between-process variation",
            one ? "measure in a second process" : "measure in more processes"},
      Cause{width.iterations, "noise within shapes", "measure the points at more iterations"},
      Cause{width.measurements, "measurement noise", "repeat the measurements"},
      Cause{width.between, "interpolation between points", "select more points"},
      Cause{width.missed, "missing points", "measure the missing points"},
      Cause{width.own, "noise of the run itself", "no measurement narrows that"}};
  const Cause& main = *std::ranges::max_element(causes, {}, &Cause::share);
  const char* const how_much = main.share > 0.9 ? "almost all" : main.share > 0.5 ? "mostly" : "partly";
  return fmt::format("{} {}; {}", how_much, main.name, main.action);
}

/// " is mostly ...; select more points", or ": sp4 takes ..." if that measurement contradicts the others. Empty if a
/// warning has said already that measurements are wrong or contradict each other.
std::string about_width(const diagnose::Series& series, const std::vector<Finding>& warnings) {
  const auto says_so = [&](const Finding& finding) {
    return finding.subject == series.configuration &&
           (finding.severe || finding.is(findings::kMisplaced) || finding.is(findings::kDrift) ||
            finding.is(findings::kSlowStart));
  };
  if (std::ranges::any_of(warnings, says_so)) return "";
  const auto contradicts = std::ranges::find_if(
      series.findings, [](const auto& finding) { return finding.fault != checks::Fault::disagreement; });
  return contradicts == series.findings.end() ? " is " + width_text(*series.width)
                                              : ": " + io::views::message_of(*contradicts, series);
}

/// Whether a total of any configuration is_wide().
bool any_is_wide(const project::Projection& projection) {
  return std::ranges::any_of(projection.configurations,
                             [](const auto& c) { return std::ranges::any_of(c.metrics, is_wide); });
}

// --- writing -------------------------------------------------------------------------------------------------------

/// The subjects of a page and of a comparison with --truth; without gates.
report::ReportSource report_source(const ProjectInputs& inputs, const project::Projection& projection) {
  return {
      .run = &inputs.selection.run, .selection = &inputs.selection, .projection = &projection, .traces = inputs.truths};
}

/// The HTML page.
std::string page_of(const Projected& p, const io::views::PageTexts& texts,
                    const io::artifacts::Provenance& provenance) {
  report::ReportSource source = report_source(p.inputs, p.projection);
  source.gates = &p.gates;
  source.diagnosis = p.diagnosis ? &*p.diagnosis : nullptr;
  return io::views::report_html(report::make_report(std::move(source)), texts, provenance);
}

/// Checks that the traces of --truth are of this run and have names of configurations, and prints messages about them.
void examine_truths(const ProjectInputs& inputs, const project::Projection& projection, Console& console) {
  for (const evaluate::NamedTrace& truth : inputs.truths) report::require_same_run(truth, inputs.selection.run);
  report_findings(inputs.truths, projection, console);
}

/// Unless metrics are requested, only the time is projected, if every configuration has one; and CPU time, if the two
/// disagree, as on a busy machine.
void choose_metrics(ProjectRequest& request, const Measured& measured) {
  const auto all_have = [&](const std::string& metric) {
    return std::ranges::all_of(measured.configurations, [&](const project::NamedMeasurements& named) {
      return std::ranges::find(named.measurements.metrics, metric) != named.measurements.metrics.end();
    });
  };
  if (!request.only_time || !all_have("runtime_s")) return;
  std::vector<std::string>& chosen = request.params.metrics;
  chosen = {"runtime_s"};
  const auto disagrees = [](const Finding& finding) {
    return finding.is(findings::kWaiting) || finding.is(findings::kBusyWaiting);
  };
  if (all_have("cpu_s") && std::ranges::any_of(measured.checked.findings, disagrees)) chosen.emplace_back("cpu_s");
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

/// The texts of a page: all warnings so far, those of --explain, and the next step.
io::views::PageTexts page_texts(const Projected& p, const Console& console) {
  io::views::PageTexts texts{.warnings = console.warnings()};
  if (!p.diagnosis) return texts;
  texts.next = io::views::next_text(*p.diagnosis, p.request.seqpoints);
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
  const std::string about_width = examine_width(projected, console);
  ResultForms forms = forms_of(projected, page_texts(projected, console), console);
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
  Measured measured =
      measure(inputs, request, console, request.explain ? checks::Depth::limits : checks::Depth::findings);
  choose_metrics(request, measured);
  keep_findings_of(request.params.metrics, measured.checked.findings);
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
  p.projection.findings = p.measured.checked.findings;
  p.gates = gates_of(p.request, p.inputs, p.measured, p.projection);
  add_where(p.gates, p.projection);
}

void examine(Projected& p, const Console& console) {
  if (!p.request.explain && !p.request.exports.has(ExportFormat::html)) return;
  p.diagnosis = during(console, "examining",
                       [&] { return diagnosis_of(p.request, p.inputs, p.measured, p.projection, p.request.explain); });
  if (p.request.explain) p.measured.checked.findings.clear();
}

std::vector<report::MeasuredTotal> measured_totals_of(const Projected& p) {
  return report::measured_totals(report_source(p.inputs, p.projection));
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
  const diagnose::Diagnosis* const explanation = p.request.explain ? &*p.diagnosis : nullptr;
  ResultForms forms{.json = io::artifacts::projection_json(p.projection, p.inputs.selection, p.gates, truths,
                                                           explanation, provenance),
                    .rows = std::move(rows),
                    .table = std::move(table)};
  if (explanation != nullptr)
    forms.text = io::views::as_text(forms.table) + "\n" + io::views::diagnosis_text(*explanation, p.request.seqpoints);
  if (p.request.exports.has(ExportFormat::html))
    forms.html = during(console, "drawing", [&] { return page_of(p, texts, provenance); });
  return forms;
}

namespace {

/// Warns of a configuration that does more operations than its devices can.
void warn_of_utilisation(const project::Projection& projection, Console& console) {
  for (const project::ConfigurationProjection& c : projection.configurations)
    if (c.throughput && c.throughput->mfu.value_or(0) > 1)
      console.warn(
          fmt::format("{}: an MFU of {} is impossible: the operations of a token are fewer, or the peak is higher",
                      c.name, io::views::percent_text(*c.throughput->mfu, 3)),
          "--flops-per-token is for one token, forward and backward, --peak-flops for one device");
}

}  // namespace

void tell(const Projected& p, Console& console) {
  tell(p.inputs, p.measured, console);
  warn_of_utilisation(p.projection, console);
  tell(p.request, p.inputs, p.projection, console);
  if (!p.compared.empty()) console.note(p.compared);
  examine_truths(p.inputs, p.projection, console);
}

std::string examine_width(const Projected& p, Console& console) {
  if (p.request.explain || !any_is_wide(p.projection)) return "";
  const diagnose::Diagnosis diagnosis =
      p.diagnosis ? *p.diagnosis : diagnosis_of(p.request, p.inputs, p.measured, p.projection, false);
  double widest = 0;
  std::string about_widest;
  for (const diagnose::Series& series : diagnosis.series) {
    const auto& c =
        *std::ranges::find(p.projection.configurations, series.configuration, &project::ConfigurationProjection::name);
    if (!series.width || !has_wide(c, series.metric)) continue;
    const project::MetricProjection& metric = *project::find_metric(c, series.metric);
    if (const double half = project::relative_half_width(metric.value, metric.interval); half > widest) {
      widest = half;
      const std::string name = prefix_of(c, p.projection) + (c.metrics.size() > 1 ? series.metric + ": " : ""),
                        about = about_width(series, p.measured.checked.findings);
      about_widest = about.empty()
                         ? ""
                         : fmt::format("{}± {}{} (details: --explain)", name, io::views::percent_text(half, 2), about);
    }
    for (const checks::FoundFault& finding : series.findings)
      if (finding.fault == checks::Fault::disagreement) console.warn(io::views::message_of(finding, series));
  }
  return about_widest;
}

bool processes_disagree(const Projected& p) {
  const diagnose::Diagnosis diagnosis = diagnosis_of(p.request, p.inputs, p.measured, p.projection, false);
  return std::ranges::any_of(diagnosis.series, [&](const diagnose::Series& series) {
    const auto& c =
        *std::ranges::find(p.projection.configurations, series.configuration, &project::ConfigurationProjection::name);
    if (!project::disturbed_minority(c).empty()) return false;
    if (std::ranges::any_of(c.process_estimates, &project::ProcessEstimate::is_disturbed)) return true;
    return std::ranges::find(series.findings, checks::Fault::disagreement, &checks::FoundFault::fault) !=
           series.findings.end();
  });
}

Exit report_partial(const Projected& p, Console& console) {
  Exit status = kDone;
  for (const project::ConfigurationProjection& c : p.projection.configurations)
    status = std::max(status, report_partial(c.name, c.partial, p.request.allow_partial, console));
  return status;
}

Command add_project(CLI::App& program) {
  return add_command<ProjectOptions>(
      program, "project", "Predict epoch time, speedup and cost; check for regressions",
      "Examples:\n"
      "  seqpoint project points.json --profile old=old.csv --profile new=new.csv\n"
      "  seqpoint project points.json --profile v1=run.csv --rate ipc=instructions/cycles --json\n"
      "  seqpoint project points.json --profile v1=run.csv --for longer.csv   # what `seqpoint scan` wrote of "
      "another run\n"
      "  seqpoint project points.json --profile v1=run.csv --truth v1=whole-run.csv --explain --export html=page.html\n"
      "  seqpoint project points.json --profile v1=new.csv --against main.json --max-regression 5% --ci github\n"
      "  seqpoint project points.json --profile old=old.csv --profile new=new.csv --by phase\n"
      "A profile is a CSV with a column point (sp1, ...), src_len or iteration, and one column a metric:\n"
      "  src_len,runtime_s\n  213,0.171\n  498,0.402",
      declare, run);
}

}  // namespace seqpoint::cli::commands
