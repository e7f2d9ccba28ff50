#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "cli/commands/command.hpp"
#include "cli/commands/report_findings.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/gates.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/progress.hpp"
#include "core/evaluate/evaluation.hpp"
#include "io/artifacts/studies.hpp"
#include "io/views/report_page.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

struct EvaluateRequest {
  std::vector<std::pair<std::string, std::string>> traces;  ///< names and files
  std::string onto;                                         ///< a file; empty: none
  evaluate::EvaluateParams params;
  trace::BatchLayout shape = trace::BatchLayout::padded;
  std::vector<std::string> choices;  ///< files of points that were chosen elsewhere
  std::optional<double> fail_above;
  ExportPaths exports;
  CiOptions ci;
};

struct EvaluateOptions {
  EvaluateRequest request;
  std::vector<std::string> traces, points{"auto", "8", "15"};
  std::optional<double> confidence;
};

void declare_methods(CLI::App& app, EvaluateOptions& o) {
  evaluate::EvaluateParams& params = o.request.params;
  OptionGroup usual(app), rare(app, "More");
  usual.list("trace", o.traces, "NAME=LOG", "Timed epochs of one run, on several builds or machines")->required();
  usual.text("--metric", params.metric, "COLUMN", "the measured column to project");
  usual.list("--method", params.methods, "NAME", "score this method only; repeatable [all]");
  usual.list("--points", o.points, "K|auto|FILE.json",
             "numbers of points; auto: the method's own rule; FILE.json: points chosen elsewhere; repeatable");
  rare.flag("--advised", params.advised,
            "also score the points and measurements that `select` advises for one process");
  rare.path("--for", o.request.onto, "another run of the network, timed in full on the first build: also project it",
            "LOG");
  add_shape(rare, o.request.shape);
  rare.flag("--lengths-only", params.lengths_only, "no method sees the metric");
  rare.share("--confidence", o.confidence, "confidence of the intervals [95%]");
}

void declare(CLI::App& app, EvaluateOptions& o) {
  declare_methods(app, o);
  evaluate::EvaluateParams& params = o.request.params;
  OptionGroup usual(app);
  usual.count("--draws", params.draws, "draws of which batches were profiled", 1, 10'000'000);
  usual.count("--repeats", params.repeats, "measurements a point", 1, 1'000'000);
  usual.share("--fail-above", o.request.fail_above,
              "exit 1 if a method's RMS error is above PERCENT on any build or the other run");
  add_output(app, o.request.exports, kAllFormats);
  add_ci(app, o.request.ci);
}

/// Whether a value of --points is a file of points that were chosen elsewhere, by its name.
bool is_file_of_points(const std::string& text) { return text.ends_with(".json"); }

evaluate::EvaluateParams params_of(const EvaluateOptions& o) {
  evaluate::EvaluateParams params = o.request.params;
  params.confidence = confidence_of(o.confidence);
  for (const std::string& method : params.methods) select::find_method(method);
  for (const std::string& text : o.points) {
    if (is_file_of_points(text)) continue;
    OptionValues given;
    given.set("points", text);
    if (text == "0") throw UsageError("--points must be 1 or more");
    params.numbers_of_points.push_back(text == "auto" ? std::nullopt : given.count("points"));
  }
  return params;
}

std::vector<std::pair<std::string, std::string>> traces_of(const EvaluateOptions& o) {
  std::vector<std::pair<std::string, std::string>> traces;
  for (const std::string& argument : o.traces) {
    auto trace = split_assignment(argument, "", "NAME=LOG");
    for (const auto& [other, path] : traces)
      if (other == trace.first) throw UsageError(fmt::format("two logs are named '{}'", other));
    traces.push_back(std::move(trace));
  }
  return traces;
}

EvaluateRequest request_of(EvaluateOptions o) {
  EvaluateRequest request = o.request;
  request.params = params_of(o);
  request.traces = traces_of(o);
  std::vector<std::string> names, files;
  for (const auto& [name, path] : request.traces) {
    names.push_back(name);
    files.push_back(path);
  }
  if (!request.onto.empty()) files.push_back(request.onto);
  std::ranges::copy_if(o.points, std::back_inserter(request.choices), is_file_of_points);
  files.insert(files.end(), request.choices.begin(), request.choices.end());
  refuse_several_standard_inputs(files);
  evaluate::require_valid(request.params, names);
  require_valid(request.exports, files);
  return request;
}

// --- reading and computing -----------------------------------------------------------------------------------------

std::vector<trace::NamedTrace> load_traces(const EvaluateRequest& request,
                                           std::vector<io::manifests::InputRecord>& inputs, Console& console) {
  std::vector<trace::NamedTrace> traces;
  for (const auto& [name, path] : request.traces) {
    io::artifacts::TraceFile file = load_measured_trace(path, request.shape, console);
    inputs.push_back(file.record);
    traces.push_back({name, std::move(file.trace), path});
  }
  return traces;
}

/// Reads the points that were chosen elsewhere: one selection per file, named after the file without folder and ending.
/// Adds their records to `inputs`.
std::vector<select::Selection> load_choices(const EvaluateRequest& request, const trace::Trace& run,
                                            std::vector<io::manifests::InputRecord>& inputs) {
  std::vector<select::Selection> selections;
  for (const std::string& path : request.choices) {
    io::stream::Input input = io::stream::Input::open(path);
    const std::vector<select::Choice> choices = io::artifacts::read_choices(input, run);
    inputs.push_back(io::manifests::record_of(input, "points", choices.size()));
    selections.push_back(select::selection_of(run, std::filesystem::path(path).stem().string(), choices));
  }
  return selections;
}

/// Reads the trace of --for, under the name of the first configuration; nothing without --for. Adds its record to
/// `inputs`.
std::optional<trace::NamedTrace> load_onto(const EvaluateRequest& request,
                                           std::vector<io::manifests::InputRecord>& inputs, Console& console) {
  if (request.onto.empty()) return std::nullopt;
  io::artifacts::TraceFile file = load_measured_trace(request.onto, request.shape, console);
  inputs.push_back(file.record);
  return trace::NamedTrace{request.traces.front().first, std::move(file.trace), request.onto};
}

/// The result of `work` for the parameters, with a progress line that counts in `unit`.
template <class Function>
auto with_progress(evaluate::EvaluateParams params, const char* unit, const Console& console, const Function& work) {
  std::optional<ProgressLine> progress(std::in_place, console, Work{"preparing", "", {}});
  bool prepared = false;
  params.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!prepared) progress.emplace(console, Work{"evaluating", unit, total});
    prepared = true;
    progress->at(done);
  };
  return work(params);
}

// --- reporting and writing -----------------------------------------------------------------------------------------

/// Prints notes on the other run: its origin, and why methods have no prediction or interval for it.
void report_onto(const evaluate::Evaluation& evaluation, Console& console) {
  if (evaluation.iterations_onto == 0) return;
  console.note(
      fmt::format("onto: {} of another run, projected from what was measured of {}; its intervals are of "
                  "another process, the others of the one that was measured",
                  counted(evaluation.iterations_onto, "batch"), evaluation.baseline));
  for (const evaluate::MethodScore& method : evaluation.methods)
    if (!method.onto->reason.empty())
      console.note(fmt::format("{}: no {} of the other run: {}", evaluate::label_of(method),
                               method.onto->total ? "interval" : "prediction", method.onto->reason));
}

void tell(const evaluate::Evaluation& evaluation, const evaluate::EvaluateParams& params, Console& console) {
  for (const std::string& note : evaluation.notes) console.warn(note);
  console.note(fmt::format("{}, {}, {} of {} a point{}", counted(evaluation.iterations, "batch"), evaluation.metric,
                           counted(evaluation.draws, "draw"), counted(evaluation.repeats, "measurement"),
                           params.advised ? "; advised: as `select` advises for one process" : ""));
  console.note(
      "errors are the RMS over draws, in percent of the measured run; (on NAME): the method saw that build's " +
      evaluation.metric);
  console.note(
      fmt::format("speedups are over {}; serial, parallel and count: the whole run over the points one after the "
                  "other, over the longest point, and in batches",
                  evaluation.baseline));
  const auto is_one = [](const evaluate::MethodScore& method) { return method.sampled_points == 0; };
  if (std::ranges::any_of(evaluation.methods, is_one))
    console.note(
        "one realisation: the shape of each of these points occurs once, so all draws are the same and their RMS is "
        "that of one draw");
  report_onto(evaluation, console);
}

ResultForms forms_of(const evaluate::Evaluation& evaluation, const project::Gates& gates,
                     const io::artifacts::Provenance& provenance) {
  return {.json = io::artifacts::evaluation_json(evaluation, gates, provenance),
          .rows = io::views::evaluation_rows(evaluation),
          .table = io::views::evaluation_table(evaluation),
          .junit = io::views::evaluation_junit(evaluation, gates)};
}

/// Sets the HTML page, if an export requests it.
void add_page(ResultForms& forms, const EvaluateRequest& request, const evaluate::Evaluation& evaluation,
              const std::vector<trace::NamedTrace>& traces, const project::Gates& gates,
              const io::views::PageTexts& texts, const io::artifacts::Provenance& provenance) {
  if (!request.exports.has(ExportFormat::html)) return;
  const trace::RunSummary run = trace::summarise(traces.front().trace);
  const report::Report report = report::make_report(
      {.run = &run, .evaluation = &evaluation, .traces = traces, .metrics = {evaluation.metric}, .gates = &gates});
  forms.html = io::views::report_html(report, texts, provenance);
}

Exit run(EvaluateOptions options, const CLI::App& app, Console& console) {
  EvaluateRequest request = request_of(std::move(options));
  Exports exports(request.exports);
  std::vector<io::manifests::InputRecord> inputs;
  const std::vector<trace::NamedTrace> traces = load_traces(request, inputs, console);
  const std::optional<trace::NamedTrace> onto = load_onto(request, inputs, console);
  request.params.choices = load_choices(request, traces.front().trace, inputs);
  const io::artifacts::Provenance provenance{.options = options_in_force(app), .inputs = inputs};
  const std::string& metric = request.params.metric;
  report_findings(traces, metric, request.fail_above ? "--fail-above" : "", console, is_given(app, "--metric"));
  if (onto) report_findings(onto->trace, onto->trace.find_metric(metric), onto->source, console);
  const evaluate::Evaluation evaluation =
      with_progress(request.params, "draws", console, [&](const evaluate::EvaluateParams& params) {
        return evaluate::evaluate(traces, params, onto ? &*onto : nullptr);
      });
  project::Gates gates;
  if (request.fail_above) gates.checks = evaluate::check_errors(evaluation, *request.fail_above);
  tell(evaluation, request.params, console);
  ResultForms forms = forms_of(evaluation, gates, provenance);
  const io::views::PageTexts texts{.warnings = console.warnings(), .facts = {{"command", command_of(app)}}};
  during(console, "drawing", [&] { add_page(forms, request, evaluation, traces, gates, texts, provenance); });
  exports.write(forms, console);
  const CiReport report{
      .title = "seqpoint evaluate", .table = io::views::evaluation_table(evaluation), .warnings = console.warnings()};
  report_ci(request.ci, report, gates, exports.table_on_stdout(), console);
  return report_gates(gates, console);
}

}  // namespace

Command add_evaluate(CLI::App& program) {
  return add_command<EvaluateOptions>(program, "evaluate", "Compare selection methods with measured epochs",
                                      "Examples:\n"
                                      "  seqpoint evaluate v1=run-on-v1.csv v2=run-on-v2.csv\n"
                                      "  seqpoint evaluate v1=a.csv v2=b.csv --method bins --points 8 --fail-above 5%",
                                      declare, run);
}

}  // namespace seqpoint::cli::commands
