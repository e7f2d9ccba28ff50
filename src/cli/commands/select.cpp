#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/commands/command.hpp"
#include "cli/commands/tell_findings.hpp"
#include "cli/options/budget.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/plan_inputs.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/progress.hpp"
#include "io/views/summary_text.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::cli::commands {
namespace {

struct SelectRequest {
  DatasetOptions dataset;
  select::SelectParams params;
  select::RepeatParams repeats;
  std::string calibration;           ///< a trace; empty: none
  bool table = false;                ///< for people, instead of the first output
  std::vector<std::string> outputs;  ///< of the SeqPoints; and, if asked for, SimPoint's two
  GivenOptions given;
};

struct SelectOptions {
  SelectOptions() {
    request.repeats.sessions = select::kUsualSessions;
    request.params.between = select::kHostBound;
  }
  SelectRequest request;
  std::optional<std::uint64_t> method_seed, phases;
  std::optional<double> between_processes;
  std::vector<std::string> also;
  std::string output;     ///< empty: not said
  std::string simpoints;  ///< prefix of two files; empty: none
};

std::vector<OwnedOption> options_of_methods() {
  std::vector<OwnedOption> options;
  for (const select::Method& method : select::all_methods())
    for (const OptionSpec& spec : method.options) options.push_back({spec, method.name});
  return options;
}

OptionRows rows_of(SelectOptions& o) {
  SelectRequest& request = o.request;
  const auto budget = [&request](const std::string& text) { request.repeats.budget = parse_budget(text); };
  return joined(
      {dataset_rows(request.dataset, "Training manifests, or one trace; - is standard input"),
       grouped(
           "Selecting",
           usual({"--points", "--max-error", "--budget", "--sessions", "--also", "--calibration"},
                 {{"--method", among(select::all_methods, text_to(request.params.method, "NAME")),
                   "how points are chosen; see `seqpoint methods`"},
                  {"--points", count_to(request.params.points, 1),
                   "how many points (of each phase); without it the method decides"},
                  {"--phases", count_to(o.phases, 1),
                   "cut the run into N phases and choose points in each, for cost that drifts [1]"},
                  {"--max-error", share_to(request.params.max_error),
                   "calibrated: take points and measurements until the expected error, without the run's own "
                   "disturbances, is at most P [1.5%]; others: points until their error of the total is [0.5%]"},
                  {"--budget", converted("AMOUNT", budget),
                   "all that a plan may run, warm-up and repeats included, in executions (24) or time (90s, 15min, "
                   "2h): the points and repeats with the least expected error for it"},
                  {"--between-processes", share_to(o.between_processes),
                   "by how much processes usually differ; 0.25% where an accelerator is the bottleneck [2%]"},
                  {"--sessions", count_to(request.repeats.sessions, 1, select::kMostSessions),
                   "processes that the plan will be run in: every point is measured at least once in each"},
                  excluding({"--also", list_to(o.also, "TRACE"),
                             "choose points that serve this run, too, in equal shares: its trace, with its rows (`scan "
                             "--rows`) where a plan is wanted; repeatable; NAME=TRACE names one"},
                            {{"stat", "a column of one run says nothing of another"},
                             {"phases", "choose points for each run apart"},
                             {"export-simpoints", "its files are of one run"}}),
                  {"--calibration", text_to(request.calibration, "TRACE"),
                   "a trace of timed iterations, for a budget in time and for what each costs"},
                  {"--stat", text_to(request.params.statistic, "COLUMN"),
                   "let the method look at this measured column of the trace"},
                  {"--method-seed", seed_to(o.method_seed), "of random selection [0]"}})),
       grouped("Options of single methods", usual({}, table_rows(options_of_methods(), request.params.options))),
       grouped(kOutputGroup,
               usual({"--output"},
                     {{"-o,--output", path_to(o.output),
                       "write the SeqPoints there, whole or not at all; - is standard output, where a terminal "
                       "gets a table unless -o - is given"},
                      {"--export-simpoints", text_to(o.simpoints, "PREFIX"),
                       "write PREFIX.simpoints and PREFIX.weights as SimPoint does"}}))});
}

/// All the paths that are written to.
std::vector<std::string> outputs_of(const SelectOptions& o) {
  std::vector<std::string> paths{o.output.empty() ? "-" : o.output};
  if (o.simpoints == "-")
    throw UsageError("--export-simpoints writes two files: it needs a prefix for their names",
                     "--export-simpoints run");
  if (!o.simpoints.empty()) paths.insert(paths.end(), {o.simpoints + ".simpoints", o.simpoints + ".weights"});
  return paths;
}

SelectRequest request_of(SelectOptions o, const GivenOptions& given) {
  SelectRequest request = std::move(o.request);
  request.given = given;
  request.params.seed = o.method_seed.value_or(0);
  request.params.phases = o.phases.value_or(1);
  if (o.between_processes) request.params.between.median = *o.between_processes;
  for (NamedFile& run : named_files(o.also, "--also", "points are chosen for a run once"))
    request.params.also.push_back({.name = std::move(run.name), .source = std::move(run.path), .digest = {}});
  select::require_valid(request.params, request.repeats, !request.calibration.empty());
  if (o.method_seed && !select::find_method(request.params.method).is_random)
    throw UsageError(
        fmt::format("--method-seed has no use here: --method {} draws nothing at random", request.params.method),
        "leave it out");
  std::vector<std::string> files = request.dataset.manifests;
  files.push_back(request.calibration);
  for (const select::FurtherTrace& run : request.params.also) files.push_back(run.source);
  require_one_standard_input(files);
  request.outputs = outputs_of(o);
  request.table = o.output.empty() && ::isatty(STDOUT_FILENO) != 0;
  refuse_to_overwrite(files, request.outputs);
  require_valid(request.dataset, request.outputs, Batching::unless_trace);
  return request;
}

// --- telling -------------------------------------------------------------------------------------------------------

/// All that the plan of the selection runs, beside the run.
std::string cost_text(const select::Selection& selection) {
  const select::RepeatsRecord& repeats = *selection.method.repeats;
  const select::PlanCost& cost = repeats.cost;
  const trace::RunSummary& run = selection.run;
  const auto fewer = [](std::uint64_t whole, std::uint64_t part) {
    return io::views::fewer_text(static_cast<double>(whole) / static_cast<double>(part));
  };
  std::string text =
      fmt::format("a plan runs {}, warm-up and repeats included: {} than the run's {}",
                  counted(cost.executions, "execution"), fewer(run.iterations, cost.executions), run.iterations);
  if (cost.tokens > 0)
    text += fmt::format(
        ", {}{} {}tokens",
        cost.tokens < run.padded_tokens_of_rank() ? "about " : "",  // which batches warm up, `plan` draws
        fewer(run.padded_tokens_of_rank(), cost.tokens), run.kind == trace::SignatureKind::varlen ? "" : "padded ");
  if (cost.seconds) text += "; it takes about " + io::views::duration_text(*cost.seconds);
  return text;
}

std::string repeats_text(const select::Selection& selection) {
  const select::RepeatsRecord& repeats = *selection.method.repeats;
  const auto [least, most] = std::ranges::minmax_element(selection.points, {}, &select::Point::repeats);
  std::string text = fmt::format("to measure: {}, {}", counted(repeats.measurements, "time"), least->repeats);
  if (most->repeats > least->repeats) text += " to " + std::to_string(most->repeats);
  text += fmt::format(" a point, in {}", counted(*repeats.sessions, "process"));
  if (!std::isfinite(repeats.expected.noise)) return text + "; a single point does not show how far off it is";
  text += fmt::format(
      "; the projected total is then expected to be off by {} (scatter of measurements {}, lengths between the points "
      "{}, processes {})",
      io::views::percent_text(repeats.error()), io::views::percent_text(repeats.expected.noise),
      io::views::percent_text(repeats.expected.representation), io::views::percent_text(repeats.process_error));
  if (repeats.half_width) text += fmt::format(", and stated to ± {}", io::views::percent_text(*repeats.half_width, 2));
  return text;
}

std::string further_text(const select::FurtherRun& further) {
  std::string text = fmt::format("also for {}: {} of {}", further.name, counted(further.run.iterations, "iteration"),
                                 counted(further.run.histogram.size(), "unique signature"));
  if (!std::isfinite(further.expected.noise)) return text;
  return fmt::format("{}; its total is then expected to be off by {}", text,
                     io::views::percent_text(further.expected.total()));
}

std::string error_text(const select::MethodRecord& method) {
  if (!method.numbers_of_points.empty() && !method.statistic_is_measured) return "";
  if (!method.in_sample_error) return "";
  return fmt::format(
      ", which miss the total of {} by {}{}", method.statistic, io::views::percent_text(*method.in_sample_error),
      method.statistic_is_measured ? " on the data they were chosen on"
                                   : " (an error in lengths, which stand in for costs; not an error in time)");
}

void tell_details(const select::Selection& selection, bool with_points, Console& console) {
  if (!console.verbose()) return;
  const std::string summary = io::views::summary_text(
      selection.run, console.shows_blocks(STDERR_FILENO) ? io::views::Bars::blocks : io::views::Bars::plain,
      selection.points);
  console.detail("the run", summary);
  if (!selection.method.numbers_of_points.empty())
    console.detail("expected error by number of points",
                   io::views::as_text(io::views::numbers_of_points_table(selection.method.numbers_of_points)));
  if (with_points) console.detail("points", io::views::as_text(io::views::points_table(selection)));
}

void tell_selection(const select::Selection& selection, bool with_points, Console& console) {
  for (const std::string& note : selection.notes) console.warn(note);
  const select::MethodRecord& method = selection.method;
  console.note(fmt::format("the run: {} in {} of {}", counted(selection.run.samples, "sample"),
                           counted(selection.run.iterations, "iteration"),
                           counted(selection.run.histogram.size(), "unique signature")));
  std::string chosen = fmt::format("{}: {}", method.name, counted(selection.points.size(), "point"));
  const std::uint64_t phases = std::max<std::size_t>(selection.run.phases.size(), 1);
  if (phases > 1) chosen += " in " + counted(phases, "phase");
  for (const auto& [name, value] : method.parameters)
    if (name == "points" && value * static_cast<double>(phases) != static_cast<double>(selection.points.size()))
      chosen += fmt::format(" (asked for {}{}; a range of lengths without iterations gives no point)",
                            static_cast<std::uint64_t>(value), phases > 1 ? " in each" : "");
  console.note(chosen + error_text(method));
  console.note(repeats_text(selection));
  for (const select::FurtherRun& further : selection.further) console.note(further_text(further));
  console.note(cost_text(selection));
  tell_details(selection, with_points, console);
}

// --- the command ---------------------------------------------------------------------------------------------------

void write(const std::vector<std::unique_ptr<io::stream::Output>>& outputs, const std::string& json,
           const select::Selection& selection) {
  outputs[0]->write(json);
  if (outputs.size() > 1) {
    const io::artifacts::SimpointFiles files = io::artifacts::simpoint_files(selection);
    outputs[1]->write(files.simpoints);
    outputs[2]->write(files.weights);
  }
  for (const auto& output : outputs) output->complete();
  for (const auto& output : outputs) output->commit();
}

/// What iterations cost, by the calibration if there is one; it joins what was read.
void load_calibration(SelectRequest& request, LoadedRun& run, Console& console) {
  if (request.calibration.empty()) return;
  io::artifacts::TraceFile file = load_measured_trace(request.calibration, request.dataset.signature.layout, console);
  request.repeats.iteration_seconds =
      during(console, "calibrating", [&] { return select::expected_seconds(file.trace, file.record.path); });
  tell_findings(file.trace, file.trace.time_statistic(), file.record.path, console);
  tell_other_lengths(file.trace, file.record.path, trace::summarise(run.trace), console);
  run.inputs.push_back(std::move(file.record));
}

/// The further runs; they join what was read.
std::vector<io::artifacts::TraceFile> load_further(SelectRequest& request, LoadedRun& run, Console& console) {
  std::vector<io::artifacts::TraceFile> files;
  for (const select::FurtherTrace& further : request.params.also) {
    files.push_back(
        io::artifacts::read_trace(open_shown(further.source, console), {}, request.dataset.signature.layout, true));
    for (const std::string& note : files.back().notes) console.warn(note);
    run.inputs.push_back(files.back().record);
  }
  const std::string first = std::filesystem::path(run.inputs.front().path).filename();
  for (std::size_t r = 0; r < files.size(); ++r) {
    if (request.params.also[r].name == first)
      throw UsageError(
          fmt::format("--also: {} and {} are both called '{}'", run.inputs.front().path, files[r].record.path, first),
          "give it a name of its own: --also NAME=TRACE");
    request.params.also[r].trace = &files[r].trace;
    request.params.also[r].digest = files[r].record.digest;
  }
  return files;
}

Exit run(SelectRequest request, Console& console) {
  std::vector<std::unique_ptr<io::stream::Output>> outputs;
  for (const std::string& path : request.outputs) outputs.push_back(std::make_unique<io::stream::Output>(path));
  LoadedRun run = load_run(request.given, request.dataset, console);
  refuse_to_overwrite_read(request.dataset, run.inputs, request.outputs);
  const std::vector<io::artifacts::TraceFile> further = load_further(request, run, console);
  load_calibration(request, run, console);
  tell_findings(run.trace, run.trace.find_statistic(request.params.statistic), run.inputs.front().path, console);
  select::Selection selection = during(console, "choosing points", [&] {
    return select::select_with_repeats(run.trace, request.params, request.repeats, run.inputs.front().path);
  });
  if (run.lengths)
    during(console, "finding samples", [&] {
      select::attach_samples(selection, *run.lengths, request.dataset.batching, request.dataset.signature);
    });
  if (run.is_trace()) select::attach_warmup(selection, run.trace);  // else `plan` finds them in the data set
  if (run.order) select::attach_samples(selection, 0, run.trace, *run.order);
  for (std::size_t r = 0; r < further.size(); ++r) {
    if (further[r].order) select::attach_samples(selection, r + 1, further[r].trace, *further[r].order);
  }
  tell_selection(selection, !request.table, console);
  const std::span<const std::string> given_only =
      run.is_trace() ? std::span<const std::string>(kDatasetGroups) : std::span<const std::string>();
  OptionsInForce options = options_in_force(request.given, given_only);
  if (!run.is_trace()) name_version(options, request.dataset.batching);
  write(outputs,
        request.table ? io::views::as_text(io::views::points_table(selection))
                      : io::artifacts::seqpoints_json(selection, {std::move(options), run.inputs}),
        selection);
  if (request.table) console.note("this is a table to look at; -o points.json writes what plan and project read");
  return kDone;
}

}  // namespace

CommandSpec select_command() {
  return command_of<SelectOptions, SelectRequest>(
      "select", "The SeqPoints of a run and their weights",
      "Examples:\n"
      "  seqpoint select train.csv --sampler sorted --batch-size 64 --points 8 -o points.json\n"
      "  seqpoint select train.csv --sampler sorted --batch-size 64 --budget 15min --calibration epoch0.csv\n"
      "  seqpoint select run.csv --method bins --stat runtime_s -o points.json\n"
      "  seqpoint select train.csv --sampler pytorch --batch-size 64 --also sorted.csv --points 8 -o points.json\n"
      "  seqpoint scan train.jsonl --batch-size 32 | seqpoint select - --points 10",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
