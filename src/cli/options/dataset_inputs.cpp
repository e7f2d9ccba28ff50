#include "cli/options/dataset_inputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "io/profiles/profile_formats.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// Whether an argument is a number and no file has that name.
bool is_weight(const std::string& argument) {
  double weight = 0;
  const char* const end = argument.data() + argument.size();
  const auto [rest, error] = std::from_chars(argument.data(), end, weight);
  return error == std::errc{} && rest == end && !io::stream::disk_files().exists(argument);
}

/// Throws UsageError if every other argument is a weight, as in `0.3 A 0.7 B`, the form of Megatron-LM's --data-path.
void refuse_weights(const std::vector<std::string>& arguments) {
  std::string weights, manifests;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (!is_weight(arguments[i])) return;
    weights += (i == 0 ? "" : ",") + arguments[i];
    manifests += " " + arguments[i + 1];
  }
  if (!weights.empty())
    throw UsageError(
        arguments.front() + " is the weight of a manifest in a blend, not a manifest",
        fmt::format("{} --sampler megatron:seq-length=N,train-samples=N,blend={}", manifests.substr(1), weights));
}

/// Warns if the files of a pattern belong to several splits, such as train and test. The pattern may be intended; a
/// folder of such files is rejected.
void warn_of_several_splits(const std::string& pattern, const std::vector<std::string>& paths, Console& console) {
  if (const std::string splits = io::manifests::several_splits(paths); !splits.empty())
    console.warn(fmt::format("{}: files of several data sets are read as one: {}", pattern, splits),
                 "give the files of one data set");
}

/// Opens the files that the arguments name: files, folders, lists and patterns.
std::vector<io::stream::Input> open_all(const std::vector<std::string>& arguments, Console& console) {
  refuse_weights(arguments);
  std::vector<io::stream::Input> inputs;
  for (const std::string& argument : arguments) {
    const auto folder = argument == "-" ? std::nullopt : io::manifests::folder_manifests(argument);
    if (folder)
      console.detail(fmt::format("{}: {}, {}", argument, folder->what, counted(folder->paths.size(), "file")));
    const std::vector<std::string> paths = folder ? folder->paths : io::manifests::manifest_paths(argument);
    if (!folder && argument.find_first_of("*?") != std::string::npos) warn_of_several_splits(argument, paths, console);
    for (const std::string& path : paths) inputs.push_back(io::stream::Input::open(path));
  }
  return inputs;
}

/// The open files of both sides: manifests, or a trace alone in `sources`.
struct OpenInputs {
  std::vector<io::stream::Input> sources, targets;
};

OpenInputs open_shown(const DatasetOptions& o, Console& console) {
  OpenInputs inputs{open_all(o.manifests, console), open_all(o.targets, console)};
  std::vector<io::stream::Input*> all;
  for (std::vector<io::stream::Input>* const side : {&inputs.sources, &inputs.targets})
    for (io::stream::Input& input : *side) all.push_back(&input);
  show_reading(all, console);
  return inputs;
}

/// Reads the order of --sampler recorded, checks it against the lengths, sets the policy from it, and adds its record
/// to the inputs.
void load_order(DatasetOptions& o, io::manifests::Dataset& dataset, Console& console) {
  const std::string path(o.batching.options.text("order").value_or(""));
  io::artifacts::OrderFile file = io::artifacts::read_order(open_shown(path, console));
  batching::RecordedOrder& order = file.order;
  console.detail(fmt::format("{}: {} of {} and {}, format order", path, counted(order.size(), "iteration"),
                             counted(order.epochs(), "epoch"), counted(order.ranks, "rank")));
  for (const std::string& note : file.notes) console.warn(note);
  batching::require_rows(order, dataset.lengths);
  if (const std::string use = batching::describe_use(order, dataset.lengths); !use.empty())
    console.note(fmt::format("{}: {}", path, use));
  const std::uint32_t multiple = o.shape.signature == trace::BatchLayout::varlen ? 1 : o.shape.pad_multiple;
  if (const std::string other = batching::compare_lengths(order, dataset.lengths, multiple); !other.empty())
    console.warn(other);
  batching::set_order(o.batching, std::make_shared<const batching::RecordedOrder>(std::move(order)));
  dataset.inputs.push_back(std::move(file.record));
}

/// Throws InputError for files that are not manifests, before errors about options that a manifest would need.
void require_manifests(OpenInputs& inputs, const io::manifests::ReadOptions& read) {
  for (io::stream::Input& input : inputs.sources)
    io::manifests::pick_reader(read.format, {.path = input.name(),
                                             .head = input.head(),
                                             .length_field = read.length_field,
                                             .has_target = !inputs.targets.empty(),
                                             .size = input.size()});
}

/// Reads open manifests, reports them, and reads the order if the sampler needs one.
io::manifests::Dataset load_opened(OpenInputs inputs, DatasetOptions& o, Console& console) {
  io::manifests::ReadOptions read = o.read;
  const batching::Sampler& sampler = batching::find_sampler(o.batching.sampler);
  read.keep_seconds = read.keep_seconds || sampler.needs_seconds;
  const bool targets = !inputs.targets.empty();
  io::manifests::Dataset dataset =
      io::manifests::read_dataset(std::move(inputs.sources), std::move(inputs.targets), read);
  report_dataset(dataset, targets, o.read.frames, console);
  if (sampler.needs_order) load_order(o, dataset, console);
  return dataset;
}

/// Numbers optimiser steps by --grad-accumulation, unless the trace has a column for them. Throws InputError if that
/// column contradicts the option.
void number_steps(io::artifacts::TraceFile& file, const DatasetOptions& o) {
  const std::uint64_t accumulation = o.batching.grad_accumulation;
  trace::Trace& run = file.trace;
  if (accumulation == 1) return;
  if (const std::uint64_t own = trace::longest_optimiser_step(run); !run.optimiser_step.empty() && own != accumulation)
    throw InputError({file.record.path, 1, "step"},
                     fmt::format("has {} an optimiser step, and --grad-accumulation says {}", counted(own, "iteration"),
                                 accumulation),
                     "leave out --grad-accumulation, or the column");
  if (!run.optimiser_step.empty()) return;
  batching::OptimiserStepCounter counter(accumulation);
  for (std::size_t i = 0; i < run.size(); ++i)
    run.optimiser_step.push_back(counter.next(run.epoch.empty() ? 0 : run.epoch[i]));
}

LoadedRun load_trace(io::stream::Input input, const DatasetOptions& o, Console& console) {
  std::optional<std::uint32_t> batch_size;
  if (o.batching.batch_size > 0) batch_size = static_cast<std::uint32_t>(o.batching.batch_size);
  io::artifacts::TraceFile file = io::artifacts::read_trace(std::move(input), batch_size, o.shape.signature, true);
  number_steps(file, o);
  trace::pad_up(file.trace, o.shape.pad_multiple);
  console.detail(
      fmt::format("{}: {}, format {}", file.record.path, counted(file.record.rows, "iteration"), file.record.format));
  for (const std::string& note : file.notes) console.warn(note);
  const auto zeros = std::ranges::count(file.trace.shapes, 0U, &trace::Shape::length);
  if (zeros > 0)
    console.warn(
        fmt::format("{}: {} with {}, kept", file.record.path, counted(static_cast<std::uint64_t>(zeros), "iteration"),
                    file.trace.kind == trace::ShapeKind::varlen ? "no tokens" : "a length of 0"),
        "leave out empty samples before they are batched");
  return {std::move(file.trace), {}, {file.record}, std::move(file.order)};
}

}  // namespace

io::manifests::Dataset load_dataset(DatasetOptions& o, Batching batching, Console& console) {
  OpenInputs inputs = open_shown(o, console);
  require_manifests(inputs, o.read);
  if (batching == Batching::always) batching::require_valid(o.batching);
  return load_opened(std::move(inputs), o, console);
}

LoadedRun load_run(DatasetOptions& o, Console& console) {
  OpenInputs inputs = open_shown(o, console);
  std::vector<io::stream::Input>& sources = inputs.sources;
  if (io::manifests::is_trace(sources.front(), o.read.format)) {
    if (sources.size() > 1)
      throw UsageError("a batch list is a whole run: give one of them, not " + std::to_string(sources.size()));
    refuse_dataset_options(o, sources.front().name());
    return load_trace(std::move(sources.front()), o, console);
  }
  require_manifests(inputs, o.read);
  batching::require_valid(o.batching);
  io::manifests::Dataset dataset = load_opened(std::move(inputs), o, console);
  LoadedRun run;
  run.trace = during(console, "batching", [&] { return trace::trace_of(dataset.lengths, o.batching, o.shape); });
  if (run.trace.size() == 0) refuse_empty_run(o.batching);
  run.lengths = std::move(dataset.lengths);
  run.inputs = std::move(dataset.inputs);
  report_assumptions(o, console);
  return run;
}

io::artifacts::TraceFile load_measured_trace(const std::string& path, trace::BatchLayout layout, Console& console) {
  io::artifacts::TraceFile file = io::artifacts::read_trace(open_shown(path, console), {}, layout);
  for (const std::string& note : file.notes) console.warn(note);
  return file;
}

void refuse_to_overwrite_read(std::span<const io::manifests::InputRecord> inputs,
                              std::span<const std::string> outputs) {
  std::vector<std::string> paths;
  for (const io::manifests::InputRecord& input : inputs) paths.push_back(input.path);
  refuse_to_overwrite(paths, outputs);
}

}  // namespace seqpoint::cli::options
