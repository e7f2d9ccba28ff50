#include <unistd.h>

#include <cmath>

#include "cli/commands/command.hpp"
#include "cli/options/budget.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/progress.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/summary.hpp"
#include "seqpoint/repeats.hpp"

namespace seqpoint::cli {
namespace {

struct SelectOptions {
  DatasetOptions dataset;
  SelectParams params;
  std::optional<std::uint64_t> method_seed, phases;
  std::string output = "-";
  std::string simpoints;  ///< prefix of two files; empty: none
  RepeatParams repeats;
  std::string calibration;  ///< a trace; empty: none
};

std::vector<OwnedOption> options_of_methods() {
  std::vector<OwnedOption> options;
  for (const Method& method : methods())
    for (const OptionSpec& spec : method.options) options.push_back({spec, method.name});
  return options;
}

/// Work left to profile, in iterations and in padded tokens: every part has its denominator beside it.
std::string cost_text(const Selection& selection, const Trace& trace) {
  double points = 0, longest = 0;
  std::vector<std::uint64_t> numbers;
  for (const Point& point : selection.points) {
    const auto tokens = static_cast<double>(trace.padded_tokens_at(trace.row_of(point.iterations.front())));
    points += tokens;
    longest = std::max(longest, tokens);
  }
  const auto all = static_cast<double>(selection.run.padded_tokens);
  std::string text = "to profile: " + std::to_string(selection.points.size()) + " of " + std::to_string(selection.run.iterations) +
                     " iterations, 1/" + number_text(static_cast<double>(selection.run.iterations) / static_cast<double>(selection.points.size()), 3);
  if (points > 0)
    text += "; of the run's " + std::string(trace.varlen() ? "" : "padded ") + "tokens 1/" + number_text(all / points, 3) + " one after the other, 1/" + number_text(all / longest, 3) +
            " with all points at once";
  return text;
}

std::string percent_text(double share) { return number_text(100 * share, 3) + " %"; }

std::string repeats_text(const Selection& selection) {
  const RepeatsRecord& repeats = *selection.method.repeats;
  const auto [least, most] = std::minmax_element(selection.points.begin(), selection.points.end(),
                                                 [](const Point& a, const Point& b) { return a.repeats < b.repeats; });
  std::string text = "to measure: " + counted(repeats.measurements, "time") + ", " + std::to_string(least->repeats);
  if (most->repeats > least->repeats) text += " to " + std::to_string(most->repeats);
  text += " a point";
  if (repeats.seconds) text += ", " + duration_text(*repeats.seconds);
  if (!std::isfinite(repeats.expected.noise)) return text + "; a single point does not show how far off it is";
  return text + "; the projected total is then expected to be off by " + percent_text(repeats.expected.total()) + " (noise " +
         percent_text(repeats.expected.noise) + ", representation " + percent_text(repeats.expected.representation) + ")";
}

std::string error_text(const MethodRecord& method) {
  if (!method.sizes.empty() && !method.measured) return "";
  if (!method.in_sample_error) return "";
  return ", which miss the total of " + method.statistic + " by " + percent_text(*method.in_sample_error) +
         (method.measured ? " on the data they were chosen on" : " (the length stands in for the cost: this is no error of a time)");
}

void tell_details(const Selection& selection, Console& console) {
  if (!console.verbose()) return;
  const std::string summary = summary_text(selection.run, console.shows_blocks(STDERR_FILENO) ? Bars::blocks : Bars::plain, selection.points);
  console.detail("the run:\n" + summary.substr(0, summary.size() - 1));
  const auto detail = [&](const std::string& title, const TextTable& rows) {
    const std::string table = as_text(rows);
    console.detail(title + ":\n" + table.substr(0, table.size() - 1));
  };
  if (!selection.method.sizes.empty()) detail("expected error by number of points", sizes_table(selection.method.sizes));
  detail("points", points_table(selection));
}

void tell_selection(const Selection& selection, const Trace& trace, Console& console) {
  for (const std::string& note : selection.notes) console.warn(note);
  const MethodRecord& method = selection.method;
  console.note("the run: " + counted(selection.run.samples, "sample") + " in " + counted(selection.run.iterations, "iteration") + " of " +
               counted(selection.run.histogram.size(), "unique signature"));
  std::string chosen = method.name + ": " + counted(selection.points.size(), "point");
  const std::uint64_t phases = std::max<std::size_t>(selection.run.phases.size(), 1);
  if (phases > 1) chosen += " in " + counted(phases, "phase");
  for (const auto& [name, value] : method.parameters)
    if (name == "points" && value * static_cast<double>(phases) != static_cast<double>(selection.points.size()))
      chosen += " (asked for " + std::to_string(static_cast<std::uint64_t>(value)) + (phases > 1 ? " in each" : "") + "; ranges of lengths that no iteration has give none)";
  console.note(chosen + error_text(method));
  console.note(cost_text(selection, trace));
  console.note(repeats_text(selection));
  tell_details(selection, console);
}

/// Opened before anything is read, so that a place that cannot be written to is known at once.
class Outputs {
 public:
  explicit Outputs(const SelectOptions& o) {
    std::vector<std::string> paths{o.output};
    if (o.calibration == "-" && std::find(o.dataset.manifests.begin(), o.dataset.manifests.end(), "-") != o.dataset.manifests.end())
      throw UsageError("standard input can be read once: the run and --calibration cannot both be -");
    if (o.simpoints == "-") throw UsageError("--export-simpoints writes two files: it needs a prefix for their names", "--export-simpoints run");
    if (!o.simpoints.empty()) paths.insert(paths.end(), {o.simpoints + ".simpoints", o.simpoints + ".weights"});
    if (!o.calibration.empty()) refuse_to_overwrite(std::vector<std::string>{o.calibration}, paths);
    require_valid(o.dataset, paths, false);
    for (const std::string& path : paths) outputs_.push_back(std::make_unique<Output>(path));
    paths_ = std::move(paths);
  }
  const std::vector<std::string>& paths() const { return paths_; }

  void write(const std::string& json, const Selection& selection) {
    outputs_[0]->write(json);
    if (outputs_.size() > 1) {
      const SimpointFiles files = simpoint_files(selection);
      outputs_[1]->write(files.simpoints);
      outputs_[2]->write(files.weights);
    }
    for (const auto& output : outputs_) output->commit();
  }

 private:
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<Output>> outputs_;
};

/// What iterations cost, by the calibration if there is one; it joins what was read.
void load_calibration(const SelectOptions& o, RepeatParams& repeats, std::vector<InputRecord>& inputs, Console& console) {
  if (o.calibration.empty()) return;
  TraceFile file = load_measured_trace(o.calibration, o.dataset.signature.kind, console);
  repeats.seconds = during(console, "calibrating", [&] { return expected_seconds(file.trace, file.record.path); });
  inputs.push_back(std::move(file.record));
}

Exit run_select(const SelectOptions& o, const CLI::App& command, Console& console) {
  SelectParams params = o.params;
  params.seed = o.method_seed.value_or(0);
  params.phases = o.phases.value_or(1);
  RepeatParams repeats = o.repeats;
  require_valid(params, repeats, !o.calibration.empty());
  if (o.method_seed && !find_method(params.method).is_random)
    throw UsageError("--method-seed has no use here: --method " + params.method + " draws nothing at random", "leave it out");
  Outputs outputs(o);
  LoadedRun run = load_run(command, o.dataset, console);
  refuse_to_overwrite_read(o.dataset, run.inputs, outputs.paths());
  load_calibration(o, repeats, run.inputs, console);
  Selection selection = during(console, "choosing points", [&] { return select_with_repeats(run.trace, params, repeats, run.inputs.front().path); });
  if (run.lengths)
    during(console, "finding samples", [&] { attach_samples(selection, *run.lengths, o.dataset.batching, o.dataset.signature); });
  tell_selection(selection, run.trace, console);

  const std::span<const std::string> given_only = run.is_trace() ? std::span<const std::string>(kDatasetGroups) : std::span<const std::string>();
  outputs.write(seqpoints_json(selection, {options_in_force(command, given_only), run.inputs}), selection);
  return kDone;
}

}  // namespace

void add_select(CLI::App& command, Action& chosen) {
  auto o = std::make_shared<SelectOptions>();
  add_dataset_options(command, o->dataset);
  command.get_option("manifest")->description("Training manifests, or one trace; - is standard input");
  constexpr auto kGroup = "Selecting";
  add_text(command, "--method", o->params.method, "how points are chosen; see `seqpoint methods`", "NAME")->capture_default_str()->group(kGroup);
  add_count(command, "--points", o->params.points, "how many points (of each phase); without it the method decides", {1})->group(kGroup);
  add_count(command, "--phases", o->phases, "cut the run into N stretches and choose in each, for cost that drifts [1]", {1})->group(kGroup);
  add_share(command, "--max-error", o->params.max_error, "take the fewest points whose error is no more; calibrated: the expected error at the advised measurements [1.5%]; others: the total that they miss [0.5%]")->group(kGroup);
  command.add_option_function<std::string>(
             "--budget", [o](const std::string& text) { o->repeats.budget = parse_budget(text); },
             "what may be profiled, in iterations (24) or time (90s, 15min, 2h): as many points, each as often, as err least at that")
      ->type_name("AMOUNT")->group(kGroup);
  add_text(command, "--calibration", o->calibration, "a trace of timed iterations, for a budget in time and for what each costs", "TRACE")->group(kGroup);
  add_text(command, "--stat", o->params.statistic, "let the method look at this measured column of the trace", "COLUMN")->group(kGroup);
  add_seed(command, "--method-seed", o->method_seed, "of random selection [0]")->group(kGroup);
  add_table_options(command, options_of_methods(), o->params.options, "Options of single methods");
  command.add_option("-o,--output", o->output, "write the SeqPoints there, whole or not at all; - is standard output")
      ->type_name("FILE")->group(kOutputGroup);
  command.add_option("--export-simpoints", o->simpoints, "write PREFIX.simpoints and PREFIX.weights as SimPoint does")
      ->type_name("PREFIX")->group(kOutputGroup);
  command.footer("Examples:\n"
                 "  seqpoint select train.csv --sampler sorted --batch-size 64 --points 8 -o points.json\n"
                 "  seqpoint select train.csv --sampler sorted --batch-size 64 --budget 15min --calibration epoch0.csv\n"
                 "  seqpoint select run.csv --method bins --stat runtime_s -o points.json\n"
                 "  seqpoint scan train.jsonl --batch-size 32 | seqpoint select - --points 10");
  command.callback([o, &command, &chosen] {
    chosen = [o, &command](Console& console) { return run_select(*o, command, console); };
  });
}

}  // namespace seqpoint::cli
