#include <array>
#include <cmath>
#include <string_view>

#include "cli/commands/command.hpp"
#include "cli/options/gates.hpp"
#include "cli/progress.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/report_page.hpp"

namespace seqpoint::cli {
namespace {

struct EvaluateOptions {
  std::vector<std::string> traces, points{"auto", "8", "15"};  ///< as typed
  EvaluateParams params;
  std::optional<std::uint64_t> draw_seed, search_seed, phases;
  std::vector<std::string> constants;  ///< as typed
  std::optional<double> fail_above, confidence;
  SignatureKind signature = SignatureKind::padded;
  bool families = false;
  ExportPaths exports;
  CiOptions ci;
};

struct NamedConstant {
  std::string_view name;
  double ModelConstants::* value;
};
constexpr std::array<NamedConstant, 8> kConstants{{{"free", &ModelConstants::free},
                                                  {"possible", &ModelConstants::possible},
                                                  {"jag", &ModelConstants::jag},
                                                  {"iteration", &ModelConstants::iteration},
                                                  {"measurement", &ModelConstants::measurement},
                                                  {"scale-median", &ModelConstants::scale_median},
                                                  {"scale-spread", &ModelConstants::scale_spread},
                                                  {"one-batch-size", &ModelConstants::one_batch_size}}};

/// `scales` is a factor on all of them.
void set_constant(ModelConstants& constants, std::string_view name, double value) {
  if (!(value > 0 && std::isfinite(value))) throw UsageError("--model " + std::string(name) + ": the value must be above 0");
  if (name == "scales") {
    for (double& scale : constants.scales) scale *= value;
    return;
  }
  std::string known = "scales";
  for (const NamedConstant& constant : kConstants) {
    if (constant.name == name) {
      constants.*constant.value = value;
      return;
    }
    known += ", " + std::string(constant.name);
  }
  throw UsageError("--model: there is no constant '" + std::string(name) + "'", "one of: " + known);
}

EvaluateParams params_of(const EvaluateOptions& o) {
  EvaluateParams params = o.params;
  params.draw_seed = o.draw_seed.value_or(0);
  params.search_seed = o.search_seed.value_or(0);
  for (const std::string& constant : o.constants) {
    const auto [name, value] = split_assignment(constant, "--model", "NAME=VALUE");
    OptionValues given;
    given.set("model", value);
    set_constant(params.model, name, *given.number("model"));
  }
  params.phases = o.phases.value_or(1);
  params.confidence = confidence_of(o.confidence);
  for (const std::string& text : o.points) {
    OptionValues given;
    given.set("points", text);
    if (text == "0") throw UsageError("--points must be 1 or more");
    params.points.push_back(text == "auto" ? std::nullopt : given.count("points"));
  }
  return params;
}

std::vector<NamedTrace> load_traces(const EvaluateOptions& o, std::vector<InputRecord>& inputs, Console& console) {
  std::vector<NamedTrace> traces;
  for (const std::string& argument : o.traces) {
    const auto [name, path] = split_assignment(argument, "", "NAME=TRACE");
    for (const NamedTrace& other : traces)
      if (other.name == name) throw UsageError("two traces are named '" + name + "'");
    TraceFile file = read_trace(open_shown(path, console), {}, o.signature);
    for (const std::string& note : file.notes) console.warn(note);
    inputs.push_back(file.record);
    traces.push_back({name, std::move(file.trace), path});
  }
  return traces;
}

void tell(const Evaluation& evaluation, bool allocated, Console& console) {
  for (const std::string& note : evaluation.notes) console.warn(note);
  console.note(counted(evaluation.iterations, "iteration") + ", " + evaluation.statistic + ", " + counted(evaluation.draws, "draw") + " of " +
               counted(evaluation.repeats, "measurement") + " a point" + (allocated ? " on average, more of heavy points" : ""));
  console.note("errors are the RMS over draws, in percent of the measured run; (on NAME): the method saw that configuration's " +
               evaluation.statistic);
  console.note("speedups are over " + evaluation.baseline +
               "; serial, parallel and count: the whole run over the points one after the other, over the longest point, and in iterations");
}

Findings findings_of(const Evaluation& evaluation, const Gates& gates, const Provenance& provenance) {
  return {.json = evaluation_json(evaluation, gates, provenance),
          .rows = evaluation_rows(evaluation),
          .table = evaluation_table(evaluation),
          .junit = evaluation_junit(evaluation, gates),
          .gh_benchmark = evaluation_gh_benchmark(evaluation, Better::smaller),
          .gh_benchmark_bigger = evaluation_gh_benchmark(evaluation, Better::bigger),
          .bmf = evaluation_bmf(evaluation)};
}

void add_page(Findings& findings, const EvaluateOptions& o, const Evaluation& evaluation, const std::vector<NamedTrace>& traces, const Gates& gates,
              const Provenance& provenance) {
  if (!o.exports.any_to_look_at()) return;
  const RunSummary run = summarise(traces.front().trace);
  const Report report = make_report({"Methods against full runs", &run, nullptr, nullptr, &evaluation, traces, {evaluation.statistic}, &gates});
  findings.html = report_html(report, provenance);
  findings.vega = report_vega(report);
}

void tell(const FamiliesEvaluation& evaluation, Console& console) {
  for (const std::string& note : evaluation.notes) console.warn(note);
  console.note("RMS error of the total, in percent, over noise-free cost functions: C, what layers and tiles cost; H, functions that "
               "no method was made with");
}

/// Options that would change nothing are refused.
void refuse_useless_with_families(const EvaluateOptions& o, const CLI::App& command) {
  for (const char* name : {"--stat", "--select-on", "--lengths-only", "--confidence", "--draws", "--repeats", "--allocate", "--draw-seed", "--fail-above"})
    if (command.count(name) > 0) throw UsageError(std::string(name) + " has no use with --families", "it is about measured columns");
  const bool phases = o.phases.value_or(1) > 1;
  if (phases || o.signature == SignatureKind::varlen)
    throw UsageError(std::string(phases ? "--phases" : "--signature varlen") + " has no use with --families",
                     "its cost functions are of padded lengths, early and late alike");
  if (o.exports.any_for_ci() || !o.ci.provider.empty())
    throw UsageError("exports for continuous integration have no use with --families", "--export-json, --export-csv and --export-markdown have");
  if (o.exports.any_to_look_at())
    throw UsageError("--export-html and --export-vega have no use with --families", "they show measured columns");
}

Exit run_evaluate(const EvaluateOptions& o, const CLI::App& command, Console& console) {
  EvaluateParams params = params_of(o);
  require_known(o.ci);
  if (o.families) refuse_useless_with_families(o, command);
  if (o.params.allocate && o.params.repeats == 1)
    throw UsageError("--allocate has no use with one measurement a point", "--repeats 3 shares out three times as many");
  if (std::count_if(o.traces.begin(), o.traces.end(), [](const std::string& t) { return t.ends_with("=-"); }) > 1)
    throw UsageError("standard input (-) can be only one of the inputs");
  std::vector<std::string> files;
  for (const std::string& trace : o.traces) files.push_back(trace.substr(trace.find('=') + 1));
  refuse_to_overwrite(files, o.exports.files());
  Exports exports(o.exports);
  std::vector<InputRecord> inputs;
  const std::vector<NamedTrace> traces = load_traces(o, inputs, console);
  std::optional<ProgressLine> progress(std::in_place, console, Work{"preparing", "", {}});
  bool prepared = false;
  params.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!prepared) progress.emplace(console, Work{"evaluating", o.families ? "selections" : "draws", total});
    prepared = true;
    progress->at(done);
  };
  if (o.families) {
    const FamiliesEvaluation families = evaluate_families(traces, params);
    progress.reset();
    tell(families, console);
    exports.write({families_json(families, {options_in_force(command), inputs}), families_rows(families), families_table(families)}, console);
    return kDone;
  }
  const Evaluation evaluation = evaluate(traces, params);
  progress.reset();
  tell(evaluation, o.params.allocate, console);
  Gates gates;
  if (o.fail_above) gates.checks = check_errors(evaluation, *o.fail_above);
  const Provenance provenance{options_in_force(command), inputs};
  Findings findings = findings_of(evaluation, gates, provenance);
  during(console, "drawing", [&] { add_page(findings, o, evaluation, traces, gates, provenance); });
  exports.write(findings, console);
  tell_ci(o.ci, {"seqpoint evaluate", evaluation_table(evaluation), as_warnings(evaluation.notes)}, gates, exports.table_on_stdout(), console);
  return tell_gates(gates, console);
}

}  // namespace

void add_evaluate(CLI::App& command, Action& chosen) {
  auto o = std::make_shared<EvaluateOptions>();
  command.add_option("trace", o->traces, "Full traces of one run on several configurations")->required()->type_name("NAME=TRACE");
  add_text(command, "--stat", o->params.statistic, "the measured column to project", "COLUMN")->capture_default_str();
  command.add_option("--method", o->params.methods, "score this method only; repeatable [all]")->type_name("NAME")->allow_extra_args(false);
  command.add_option("--points", o->points, "numbers of points (of each phase); auto: the method's own rule; repeatable")
      ->type_name("K|auto")->allow_extra_args(false)->default_str("auto 8 15");
  add_text(command, "--select-on", o->params.select_on, "the configuration whose statistic methods may see [the first]", "NAME");
  add_signature(command, o->signature);
  add_count(command, "--phases", o->phases, "cut the run into N stretches; methods choose, and are measured, in each [1]", {1});
  command.add_flag("--lengths-only", o->params.lengths_only, "no method sees the statistic");
  add_share(command, "--confidence", o->confidence, "of the intervals [95%]");
  add_share(command, "--max-error", o->params.max_error, "where methods with their own rule stop growing [0.5%; calibrated: 1.5%]");
  add_count(command, "--draws", o->params.draws, "draws of which iterations were profiled", {1, 10'000'000});
  add_count(command, "--repeats", o->params.repeats, "measurements a point", {1, 1'000'000});
  command.add_flag("--allocate", o->params.allocate, "as many measurements in all, but more of heavy points, as `select` advises");
  add_seed(command, "--draw-seed", o->draw_seed, "of the draws [0]");
  command.add_option("--model", o->constants, "another value of a constant of the cost model (scales: a factor), to see what comes of it; repeatable")
      ->type_name("NAME=VALUE")->allow_extra_args(false);
  add_seed(command, "--search-seed", o->search_seed, "of the restarts of calibrated's search [0]");
  command.add_flag("--families", o->families, "noise-free cost functions instead of a measured column; each trace is a run of its own");
  add_share(command, "--fail-above", o->fail_above, "exit with 1 if a method's RMS error is larger on any configuration");
  add_exports(command, o->exports);
  add_page_exports(command, o->exports);
  add_ci_exports(command, o->exports);
  add_ci(command, o->ci);
  command.footer("Examples:\n"
                 "  seqpoint evaluate v1=run-on-v1.csv v2=run-on-v2.csv\n"
                 "  seqpoint evaluate v1=a.csv v2=b.csv --method bins --points 8 --select-on v1 --fail-above 5%");
  command.callback([o, &command, &chosen] {
    chosen = [o, &command](Console& console) { return run_evaluate(*o, command, console); };
  });
}

}  // namespace seqpoint::cli
