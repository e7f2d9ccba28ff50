#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cli/commands/command.hpp"
#include "cli/commands/report_findings.hpp"
#include "cli/commands/select_request.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/progress.hpp"
#include "core/select/select.hpp"
#include "io/text/command_words.hpp"
#include "io/views/report_page.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

constexpr std::array kFormats{ExportFormat::json, ExportFormat::html};

struct SelectOptions {
  SelectRequest request;
  ExportPaths exports;
  std::optional<std::uint64_t> method_seed, parts;
  std::optional<double> between_processes;
};

/// Options of single methods, each once: some methods share theirs.
void declare_methods(OptionGroup& group, OptionValues& values) {
  std::map<std::string_view, std::string> owners;
  for (const select::Method& method : select::all_methods())
    for (const OptionSpec& spec : method.options)
      owners[spec.name] += (owners[spec.name].empty() ? "" : ", ") + std::string(method.name);
  for (const select::Method& method : select::all_methods())
    for (const OptionSpec& spec : method.options)
      if (const auto owner = owners.extract(spec.name)) add_option(group, spec, owner.mapped(), values);
}

void declare(CLI::App& app, SelectOptions& o) {
  SelectRequest& request = o.request;
  add_dataset_options(app, request.dataset, "Training manifests, or one batch list; - is standard input");
  const auto budget = [&request](const auto&, const std::string& text) { request.repeats.budget = parse_budget(text); };
  OptionGroup usual(app), rare(app, "Selecting"), of_methods(app, "Options of single methods");
  rare.text("--method", request.params.method, "NAME", "how points are chosen; see `seqpoint list methods`");
  usual.count("--points", request.params.points, "number of points (in each part); without it the method decides", 1);
  rare.count("--parts", o.parts, "cut the run into N parts and choose points in each, if cost drifts [1]", 1);
  usual.share(
      "--max-error", request.params.max_error,
      "stop adding points when the expected error, one standard deviation, is at most PERCENT [1.5%, without the "
      "variation between processes; other methods: 0.5% of the total of lengths]");
  usual.other("--budget", "AMOUNT", budget,
              "most that measuring may cost, warm-up included: batches (24) or time (90s, 15min; needs --timings)");
  rare.share("--between-processes", o.between_processes,
             "usual difference between processes; 0.25% if an accelerator is the bottleneck [2%]");
  usual.count("--processes", request.repeats.processes, "processes to measure in; each measures every point", 1,
              select::kMaxPlannedProcesses);
  rare.text("--timings", request.timings, "LOG", "a batch list with times, for the cost of each and a budget in time");
  rare.text("--metric", request.params.metric, "COLUMN",
            "let the method look at this measured column of the batch list");
  rare.seed("--method-seed", o.method_seed, "of random selection [0]");
  declare_methods(of_methods, request.params.options);
  add_output(app, o.exports, kFormats);
}

/// Adds a JSON export to standard output, unless there is a JSON export, an export uses standard output, or standard
/// output is a terminal, which gets a table instead.
void add_default_output(ExportPaths& exports) {
  if (!exports.has(ExportFormat::json) && !exports.to_stdout() && ::isatty(STDOUT_FILENO) == 0)
    exports.exports.push_back({ExportFormat::json, "-"});
}

/// Converts and checks the options. Throws UsageError.
void require_valid(SelectOptions& o, const CLI::App& app) {
  SelectRequest& request = o.request;
  request.params.seed = o.method_seed.value_or(0);
  if (o.between_processes) request.params.between.median = *o.between_processes;
  request.params.parts = o.parts.value_or(1);
  select::require_valid(request.params, request.repeats, !request.timings.empty());
  if (o.method_seed && !select::find_method(request.params.method).is_random)
    throw UsageError(
        fmt::format("--method-seed has no use here: --method {} draws nothing at random", request.params.method),
        "leave it out");
  std::vector<std::string> files = request.dataset.manifests;
  files.push_back(request.timings);
  refuse_several_standard_inputs(files);
  add_default_output(o.exports);
  require_valid(o.exports, files);
  require_valid(app, request.dataset, o.exports.files(), Batching::unless_trace);
}

// --- reading and computing -----------------------------------------------------------------------------------------

/// What a selection is made of.
struct SelectInputs {
  LoadedRun run;
  std::optional<io::artifacts::TraceFile> timings;  ///< nothing: not asked for
};

SelectInputs read_inputs(SelectRequest& request, std::span<const std::string> outputs, Console& console) {
  SelectInputs inputs{load_run(request.dataset, console), {}};
  refuse_to_overwrite_read(inputs.run.inputs, outputs);
  if (request.timings.empty()) return inputs;
  inputs.timings = load_measured_trace(request.timings, request.dataset.shape.signature, console);
  inputs.run.inputs.push_back(inputs.timings->record);
  return inputs;
}

/// Finds what is unlikely about the times. Throws as report_findings().
void examine(const SelectInputs& inputs, const std::string& metric, Console& console) {
  const trace::Trace& run = inputs.run.trace;
  if (inputs.timings) {
    const trace::Trace& timed = inputs.timings->trace;
    const std::string& source = inputs.timings->record.path;
    report_findings(timed, timed.time_metric(), source, console);
    report_other_lengths(timed, source, trace::summarise(run), console);
  }
  report_findings(run, run.find_metric(metric), inputs.run.inputs.front().path, console, true);
}

// --- reporting -----------------------------------------------------------------------------------------------------

/// The cost of measuring compared with the run. Empty if measuring takes as many batches or more: then the selection
/// has a warning.
std::string price_text(const select::Selection& selection) {
  const select::RepeatsRecord& repeats = *selection.method.repeats;
  if (repeats.cost.executions >= selection.run.iterations) return "";
  std::string text = io::views::reduction_text(repeats.cost.executions, selection.run.iterations, "batch") + ", in " +
                     counted(*repeats.processes, "process");
  if (repeats.cost.seconds) text += ", about " + io::views::duration_text(*repeats.cost.seconds);
  return text;
}

/// "about ± 3.1 % (1 s.d.); the 95 % interval will be about ± 9.5 %"; empty for a single point, whose error is not
/// known.
std::string error_text(const select::Selection& selection) {
  const select::RepeatsRecord& repeats = *selection.method.repeats;
  if (!std::isfinite(repeats.expected.noise)) return "";
  std::string text = fmt::format("about ± {} (1 s.d.)", io::views::percent_text(repeats.error(), 2));
  if (repeats.half_width)
    text += fmt::format("; the 95 % interval will be about ± {}", io::views::percent_text(*repeats.half_width, 2));
  return text;
}

/// Prints the expected error of the projection, and details of its parts; for a single point that it is not known.
void report_error(const select::Selection& selection, Console& console) {
  const select::RepeatsRecord& repeats = *selection.method.repeats;
  const std::string text = error_text(selection);
  if (text.empty()) return console.note("a single point does not show how far off its projection is");
  console.note("expected error " + text);
  console.detail(fmt::format("of it: measurements {}, interpolation {}, between-process variation {}",
                             io::views::percent_text(repeats.expected.noise),
                             io::views::percent_text(repeats.expected.representation),
                             io::views::percent_text(repeats.process_error)));
}

/// Prints the in-sample error, if the method fits a metric. Nothing if the method states expected errors and its metric
/// is not a measured column.
void report_fit(const select::MethodRecord& method, Console& console) {
  if (!method.in_sample_error || (!method.numbers_of_points.empty() && !method.metric_is_measured)) return;
  console.note(fmt::format("they reproduce the total of {} to {}; this is not the error of the projected time",
                           method.metric, io::views::percent_text(*method.in_sample_error, 2)));
}

void report_details(const select::Selection& selection, bool with_points, Console& console) {
  if (!console.verbose()) return;
  const std::string histograms = io::views::histograms_text(
      selection.run, console.shows_blocks(STDERR_FILENO) ? io::views::Bars::blocks : io::views::Bars::plain,
      selection.points);
  console.detail("the run", histograms);
  if (!selection.method.numbers_of_points.empty())
    console.detail("expected error by number of points",
                   io::views::as_text(io::views::numbers_of_points_table(selection.method.numbers_of_points)));
  if (with_points) console.detail("points", io::views::as_text(io::views::points_table(selection)));
}

/// The number of points, their origin and destination.
std::string chosen_text(const select::Selection& selection, const std::string& file) {
  const select::MethodRecord& method = selection.method;
  std::string text =
      fmt::format("{} of {}: chose {}", counted(selection.run.iterations, "batch"),
                  counted(selection.run.histogram.size(), "shape"), counted(selection.points.size(), "point"));
  const std::uint64_t parts = std::max<std::size_t>(selection.run.phases.size(), 1);
  if (parts > 1) text += " in " + counted(parts, "part");
  for (const auto& [name, value] : method.parameters)
    if (name == "points" && value * static_cast<double>(parts) != static_cast<double>(selection.points.size()))
      text += fmt::format(", not {}{}, as ranges of lengths without batches give none",
                          static_cast<std::uint64_t>(value), parts > 1 ? " in each" : "");
  if (method.name != "calibrated") text += " (" + method.name + ")";
  return file.empty() ? text : text + " -> " + file;
}

/// Prints all messages about a selection. `file`: path of the points; empty: no file. `with_points`: with -v also a
/// table of the points.
void report_selection(const select::Selection& selection, const std::string& file, bool with_points, Console& console) {
  for (const std::string& note : selection.notes) console.warn(note);
  console.note(chosen_text(selection, file));
  report_fit(selection.method, console);
  if (const std::string price = price_text(selection); !price.empty()) console.note("measuring them takes " + price);
  report_error(selection, console);
  report_details(selection, with_points, console);
  if (!file.empty())
    console.note(fmt::format("next: seqpoint plan {} -o plan", io::text::shell_words(std::vector{file})));
}

/// Path of the first JSON export to a file; empty: none.
std::string points_file(const ExportPaths& exports) {
  for (const auto& [format, path] : exports.exports)
    if (format == ExportFormat::json && path != "-") return path;
  return "";
}

// --- the command ---------------------------------------------------------------------------------------------------

/// What a page says beside its figures: the command, what measuring takes, and the error to expect.
io::views::PageTexts texts_of(const select::Selection& selection, const std::string& command, const Console& console) {
  io::views::PageTexts texts{.warnings = console.warnings(), .facts = {{"command", command}}};
  for (const auto& [name, text] :
       {std::pair("measuring takes", price_text(selection)), std::pair("expected error", error_text(selection))})
    if (!text.empty()) texts.facts.emplace_back(name, text);
  return texts;
}

/// The HTML page of a selection.
std::string page_of(const LoadedRun& run, const select::Selection& selection, const io::views::PageTexts& texts,
                    const io::artifacts::Provenance& made) {
  std::vector<trace::NamedTrace> traces;
  const std::string& path = run.inputs.front().path;
  if (run.is_trace()) traces.push_back({path, run.trace, path});
  return io::views::report_html(report::make_report({.run = &selection.run, .selection = &selection, .traces = traces}),
                                texts, made);
}

Exit run(SelectOptions o, const CLI::App& app, Console& console) {
  require_valid(o, app);
  // A terminal shows a table, unless the points go to a file.
  Exports exports(o.exports, ::isatty(STDOUT_FILENO) != 0 && !o.exports.has(ExportFormat::json));
  const Selected selected = select_points(o.request, console, o.exports.files());
  const select::Selection& selection = selected.selection;
  report_selection(selection, points_file(o.exports), !exports.table_on_stdout(), console);
  OptionsInForce options =
      selected.run.is_trace() ? options_in_force(app, o.request.dataset.of_manifests) : options_in_force(app);
  const io::artifacts::Provenance made{std::move(options), selected.run.inputs};
  ResultForms forms{.json = io::artifacts::seqpoints_json(selection, made),
                    .table = io::views::points_table(selection)};
  if (o.exports.has(ExportFormat::html))
    forms.html = page_of(selected.run, selection, texts_of(selection, command_of(app), console), made);
  exports.write(forms, console);
  if (exports.table_on_stdout() && !o.exports.has(ExportFormat::json))
    console.note("points were not saved; add -o points.json");
  return kDone;
}

void add_batches(select::Selection& selection, const LoadedRun& run, const SelectRequest& request,
                 const Console& console) {
  during(console, "finding samples", [&] {
    if (run.lengths)
      select::attach_batches(selection, *run.lengths, request.dataset.batching, request.dataset.shape);
    else
      select::attach_batches(selection, run.trace, run.order ? &*run.order : nullptr);
  });
}

}  // namespace

SelectRequest::SelectRequest() {
  repeats.processes = select::kDefaultProcesses;
  params.between = select::kHostBound;
}

Selected select_points(SelectRequest request, Console& console, std::span<const std::string> outputs) {
  SelectInputs inputs = read_inputs(request, outputs, console);
  LoadedRun& run = inputs.run;
  const std::string& path = run.inputs.front().path;
  if (inputs.timings)
    request.repeats.iteration_seconds = during(console, "calibrating", [&] {
      return select::expected_seconds(inputs.timings->trace, inputs.timings->record.path);
    });
  examine(inputs, request.params.metric, console);
  select::Selection selection = during(console, "choosing points", [&] {
    return select::select_with_repeats(run.trace, request.params, request.repeats, path);
  });
  add_batches(selection, run, request, console);
  return {std::move(selection), std::move(run)};
}

Selected further_points(SelectRequest request, const select::Selection& measured, const select::CountedFirst& first,
                        Console& console) {
  LoadedRun run = load_run(request.dataset, console);
  select::Selection selection =
      select::with_first_executions(measured, run.trace, first, request.params, request.repeats);
  add_batches(selection, run, request, console);
  return {std::move(selection), std::move(run)};
}

Command add_select(CLI::App& program) {
  return add_command<SelectOptions>(
      program, "select", "Choose which batches to measure, and their weights",
      "Examples:\n"
      "  seqpoint select train.csv --sampler sorted --batch-size 64 --points 8 -o points.json\n"
      "  seqpoint select train.csv --sampler sorted --batch-size 64 --budget 15min --timings epoch0.csv\n"
      "  seqpoint select run.csv --method bins --metric runtime_s -o points.json\n"
      "  seqpoint scan train.jsonl --batch-size 32 | seqpoint select - --points 10",
      declare, run);
}

}  // namespace seqpoint::cli::commands
