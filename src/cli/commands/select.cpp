#include <unistd.h>

#include "../command.hpp"
#include "../dataset_options.hpp"
#include "../shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/summary.hpp"

namespace seqpoint::cli {
namespace {

struct SelectOptions {
  DatasetOptions dataset;
  SelectParams params;
  std::optional<std::uint64_t> method_seed;
  std::string output = "-";
  std::string simpoints;  ///< prefix of two files; empty: none
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
    // The iteration to profile, by its number in the run.
    std::size_t row = point.iterations.front();
    if (!trace.iteration.empty())
      row = static_cast<std::size_t>(std::lower_bound(trace.iteration.begin(), trace.iteration.end(), row) - trace.iteration.begin());
    const auto tokens = static_cast<double>(trace.padded_tokens_at(row));
    points += tokens;
    longest = std::max(longest, tokens);
  }
  const auto all = static_cast<double>(selection.run.padded_tokens);
  std::string text = "to profile: " + std::to_string(selection.points.size()) + " of " + std::to_string(selection.run.iterations) +
                     " iterations, 1/" + number_text(static_cast<double>(selection.run.iterations) / static_cast<double>(selection.points.size()), 3);
  if (points > 0)
    text += "; of the run's padded tokens 1/" + number_text(all / points, 3) + " one after the other, 1/" + number_text(all / longest, 3) +
            " with all points at once";
  return text;
}

std::string error_text(const MethodRecord& method) {
  if (!method.sizes.empty() && !method.measured)
    return ", with an error of " + number_text(100 * method.sizes.back().error, 3) +
           " % (RMS over cost functions that it was not calibrated for)";
  if (!method.in_sample_error) return "";
  return ", which miss the total of " + method.statistic + " by " + number_text(100 * *method.in_sample_error, 3) + " %" +
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
  if (!selection.method.sizes.empty()) detail("error by number of points", sizes_table(selection.method.sizes));
  detail("points", points_table(selection));
}

void tell_selection(const Selection& selection, const Trace& trace, Console& console) {
  for (const std::string& note : selection.notes) console.warn(note);
  const MethodRecord& method = selection.method;
  console.note("the run: " + counted(selection.run.samples, "sample") + " in " + counted(selection.run.iterations, "iteration") + " of " +
               counted(selection.run.histogram.size(), "unique signature"));
  std::string chosen = method.name + ": " + counted(selection.points.size(), "point");
  for (const auto& [name, value] : method.parameters)
    if (name == "points" && value != static_cast<double>(selection.points.size()))
      chosen += " (asked for " + std::to_string(static_cast<std::uint64_t>(value)) + "; ranges of lengths that no iteration has give none)";
  console.note(chosen + error_text(method));
  console.note(cost_text(selection, trace));
  tell_details(selection, console);
}

/// Opened before anything is read, so that a place that cannot be written to is known at once.
class Outputs {
 public:
  explicit Outputs(const SelectOptions& o) {
    std::vector<std::string> paths{o.output};
    if (o.simpoints == "-") throw UsageError("--export-simpoints writes two files: it needs a prefix for their names", "--export-simpoints run");
    if (!o.simpoints.empty()) paths.insert(paths.end(), {o.simpoints + ".simpoints", o.simpoints + ".weights"});
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

Exit run_select(const SelectOptions& o, const CLI::App& command, Console& console) {
  SelectParams params = o.params;
  params.seed = o.method_seed.value_or(0);
  require_valid(params);
  if (o.method_seed && !find_method(params.method).is_random)
    throw UsageError("--method-seed has no use here: --method " + params.method + " draws nothing at random", "leave it out");
  Outputs outputs(o);
  LoadedRun run = load_run(command, o.dataset, console);
  refuse_to_overwrite_read(o.dataset, run.inputs, outputs.paths());
  Selection selection = select(run.trace, params, run.inputs.front().path);
  if (run.lengths) attach_samples(selection, *run.lengths, o.dataset.batching, o.dataset.signature);
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
  add_count(command, "--points", o->params.points, "how many points; without it the method decides", {1})->group(kGroup);
  add_share(command, "--max-error", o->params.max_error, "grow until the points miss the total by no more [0.5%]")->group(kGroup);
  add_text(command, "--stat", o->params.statistic, "let the method look at this measured column of the trace", "COLUMN")->group(kGroup);
  add_seed(command, "--method-seed", o->method_seed, "of random selection [0]")->group(kGroup);
  add_table_options(command, options_of_methods(), o->params.options, "Options of single methods");
  command.add_option("-o,--output", o->output, "write the SeqPoints there, whole or not at all; - is standard output")
      ->type_name("FILE")->group(kOutputGroup);
  command.add_option("--export-simpoints", o->simpoints, "write PREFIX.simpoints and PREFIX.weights as SimPoint does")
      ->type_name("PREFIX")->group(kOutputGroup);
  command.footer("Examples:\n"
                 "  seqpoint select train.csv --sampler sorted --batch-size 64 --points 8 -o points.json\n"
                 "  seqpoint select run.csv --method bins --stat runtime_s -o points.json\n"
                 "  seqpoint scan train.jsonl --batch-size 32 | seqpoint select - --points 10");
  command.callback([o, &command, &chosen] {
    chosen = [o, &command](Console& console) { return run_select(*o, command, console); };
  });
}

}  // namespace seqpoint::cli
