#include "cli/options/dataset_inputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "core/lengths/lengths.hpp"
#include "io/profiles/profile_formats.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// How audio samples become frames: the front end, or for the first in the table the distance of frames in samples.
std::string frames_text(const lengths::FrameRule& frames) {
  if (frames.front_end != lengths::front_ends().front().name) return "front end " + frames.front_end;
  return "a frame every " + counted(frames.framing().hop, "sample");
}

/// Whether the lengths are times or numbers of audio samples.
bool is_audio(const io::manifests::InputRecord& input) {
  return input.unit == "seconds" || input.unit == "ms" || input.unit == "samples";
}

/// "read 12 samples from train.jsonl (jsonl, length 'duration' in seconds at 16000 Hz, a frame every 160 samples)".
std::string input_text(const io::manifests::InputRecord& input, const lengths::FrameRule& frames) {
  std::string text = fmt::format("read {} from {} ({}", counted(input.rows, "sample"), input.path, input.format);
  if (!input.fields.empty()) text += fmt::format(", length '{}'", input.fields);
  if (!input.unit.empty() && input.unit != lengths::name_of(lengths::LengthUnit::as_is)) text += " in " + input.unit;
  if (is_audio(input))
    text += fmt::format(
        " at {} Hz, {}",
        io::views::number_text(frames.sample_rate, std::max(1, 1 + static_cast<int>(std::log10(frames.sample_rate)))),
        frames_text(frames));
  return text + ")";
}

/// Prints one note per file for the first three files, and details for the others.
void report_inputs(const io::manifests::Dataset& dataset, const lengths::FrameRule& frames, Console& console) {
  constexpr std::size_t kMaxShown = 3;
  for (std::size_t i = 0; i < dataset.inputs.size(); ++i) {
    const std::string text = input_text(dataset.inputs[i], frames);
    i < kMaxShown ? console.note(text) : console.detail(text);
  }
  if (dataset.inputs.size() > kMaxShown)
    console.note(fmt::format("and {} (-v lists them): {} in all",
                             counted(dataset.inputs.size() - kMaxShown, "more file"),
                             counted(dataset.lengths.size(), "sample")));
}

/// Warns of given options that turn audio into frames if no input is audio: they have no effect.
void warn_of_frames_without_audio(const io::manifests::Dataset& dataset, const lengths::FrameRule& frames,
                                  Console& console) {
  if (std::any_of(dataset.inputs.begin(), dataset.inputs.end(), is_audio)) return;
  const lengths::FrameRule unchanged;
  const auto warn = [&](bool given, const char* option) {
    if (given)
      console.warn(std::string(option) + " changes nothing: no length here is a duration or a number of audio samples",
                   "leave it out, or name the unit of the lengths: --length-unit");
  };
  warn(frames.front_end != unchanged.front_end, "--front-end");
  warn(frames.sample_rate != unchanged.sample_rate, "--sample-rate");
  warn(frames.frame_shift.has_value(), "--frame-shift");
}

/// Prints notes "FILE: TEXT" as warnings. Notes with the same text are printed once, with the first file and the number
/// of the others.
void warn_of_notes(const std::vector<std::string>& notes, Console& console) {
  const auto about = [](const std::string& note) { return note.substr(std::min(note.find(": "), note.size())); };
  std::map<std::string, std::uint64_t> times;
  for (const std::string& note : notes) ++times[about(note)];
  for (const std::string& note : notes) {
    const std::uint64_t all = std::exchange(times[about(note)], 0);
    if (all > 0) console.warn(all == 1 ? note : note + fmt::format(" (and {})", counted(all - 1, "more file")));
  }
}

/// Reports how many rows were left out and why, samples of length 0, and the notes of the data set.
void report_accounting(const io::manifests::Dataset& dataset, Console& console) {
  const auto left_out = [&](std::uint64_t n, const char* why) {
    if (n > 0) console.note(fmt::format("left out {} of {}: {}", counted(n, "row"), grouped(dataset.rows), why));
  };
  left_out(dataset.missing, "no usable length (--skip-missing)");
  left_out(dataset.marked, "marked so in the manifest");
  left_out(dataset.too_short, "shorter than --min-length");
  left_out(dataset.too_long, "longer than --max-length");
  if (dataset.zeros > 0)
    console.warn(
        fmt::format("{} of {} with a length of 0, kept", counted(dataset.zeros, "sample"), dataset.lengths.size()),
        "--min-length 1 leaves out such samples");
  warn_of_notes(dataset.notes, console);
}

/// Prints a note about two files without named columns and with equally many rows: they may be meant as the sides of
/// pairs.
void report_two_sides(const io::manifests::Dataset& dataset, Console& console) {
  const auto& files = dataset.inputs;
  if (files.size() == 2 && files[0].rows == files[1].rows && files[0].fields.empty() && files[1].fields.empty())
    console.note(fmt::format("{} and {} are read one after the other; give the target side of pairs with --tgt",
                             files[0].path, files[1].path));
}

/// Warns of files with equal content, because duplicate samples change every figure. `targets`: pairs were read.
void warn_of_copies(const io::manifests::Dataset& dataset, bool targets, Console& console) {
  std::map<std::string_view, const io::manifests::InputRecord*> by_digest;
  for (const io::manifests::InputRecord& input : dataset.inputs) {
    const auto [known, is_new] = by_digest.emplace(input.digest, &input);
    if (is_new) continue;
    const std::string& first = known->second->path;
    console.warn(fmt::format("{} is {}: its samples {}", input.path,
                             first == input.path ? "given again" : "the same as " + first,
                             targets ? "are there twice, or are their own targets" : "count twice"),
                 "give each file once");
  }
}

/// Warns if more than half of the recordings last longer than an hour: a batch of them does not fit a device, so the
/// unit may be wrong.
void warn_of_hours(const io::manifests::Dataset& dataset, const lengths::FrameRule& frames, Console& console) {
  const auto audio = std::find_if(dataset.inputs.begin(), dataset.inputs.end(), is_audio);
  if (audio == dataset.inputs.end()) return;
  const lengths::Framing framing = frames.framing();
  const double frames_an_hour = 3600 * framing.sample_rate / static_cast<double>(framing.hop);
  const std::vector<std::uint32_t>& lengths = dataset.lengths.src;
  const auto longer =
      std::count_if(lengths.begin(), lengths.end(), [&](std::uint32_t n) { return n > frames_an_hour; });
  if (2 * static_cast<std::size_t>(longer) <= lengths.size()) return;
  const double all = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  console.warn(
      fmt::format("{}: {} of {} last longer than an hour, {} h in all, if their unit is {}", audio->path, longer,
                  counted(lengths.size(), "recording"), io::views::number_text(all / frames_an_hour, 3), audio->unit),
      "name the unit of the lengths: --length-unit");
}

/// Warns if the longest sample is 1000 times as long as the median or more: that may be a wrong unit.
void warn_of_longest(const std::vector<std::uint32_t>& lengths, const std::string& path, Console& console) {
  constexpr std::uint32_t kMuch = 1000;
  std::uint32_t longest = 0;
  for (const std::uint32_t length : lengths) longest = std::max(longest, length);
  const std::uint32_t much = longest / kMuch;
  if (much == 0) return;
  const auto long_ones = std::ranges::count_if(lengths, [=](std::uint32_t length) { return length >= much; });
  if (2 * static_cast<std::size_t>(long_ones) > lengths.size()) return;
  console.warn(fmt::format("{}: the longest sample has a length of {}, over 1000x the median", path, longest),
               "--max-length leaves out such samples");
}

void warn_of_odd_lengths(const io::manifests::Dataset& dataset, bool targets, const lengths::FrameRule& frames,
                         Console& console) {
  warn_of_copies(dataset, targets, console);
  warn_of_hours(dataset, frames, console);
  warn_of_longest(dataset.lengths.src, dataset.inputs.front().path, console);
  warn_of_longest(dataset.lengths.tgt, dataset.inputs.back().path, console);
}

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
        fmt::format("{} --sampler megatron --seq-length N --train-samples N --blend {}", manifests.substr(1), weights));
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

/// Reads the recorded order of --order, checks it against the lengths, sets the policy from it, and adds its record to
/// the inputs.
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
  const std::uint32_t multiple = o.shape.layout == trace::BatchLayout::varlen ? 1 : o.shape.pad_multiple;
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

/// Reads open manifests, with messages, and the order if the sampler needs one.
io::manifests::Dataset load_opened(OpenInputs inputs, DatasetOptions& o, Console& console) {
  io::manifests::ReadOptions read = o.read;
  const batching::Sampler& sampler = batching::find_sampler(o.batching.sampler);
  read.keep_seconds = read.keep_seconds || sampler.needs_seconds || sampler.uses_seconds;
  const bool targets = !inputs.targets.empty();
  io::manifests::Dataset dataset =
      io::manifests::read_dataset(std::move(inputs.sources), std::move(inputs.targets), read);
  report_inputs(dataset, o.read.frames, console);
  if (!targets) report_two_sides(dataset, console);
  warn_of_frames_without_audio(dataset, o.read.frames, console);
  report_accounting(dataset, console);
  warn_of_odd_lengths(dataset, targets, o.read.frames, console);
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
  io::artifacts::TraceFile file = io::artifacts::read_trace(std::move(input), batch_size, o.shape.layout, true);
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
      throw UsageError("a trace is a whole run: give one of them, not " + std::to_string(sources.size()));
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

void report_assumptions(const DatasetOptions& o, Console& console) {
  const batching::BatchPolicy& policy = o.batching;
  const batching::Sampler& sampler = batching::find_sampler(policy.sampler);
  if (!o.names_sampler) console.note("no --sampler: batches are in file order, unshuffled (`seqpoint list samplers`)");
  const auto is_seed = [](const auto& option) { return option.first.find("seed") != std::string::npos; };
  if (sampler.takes_seed && !policy.seed && std::ranges::none_of(policy.options.all(), is_seed))
    console.note(fmt::format("--sampler {}: no --seed: using seed 0", policy.sampler));
  const std::string assumed = sampler.assumes(policy);
  if (!assumed.empty()) console.note(fmt::format("--sampler {}: {}", policy.sampler, assumed));
  if (policy.resume_at > 0)
    console.note(fmt::format("--resume-at {}: numbered from 0 after the checkpoint; {}", policy.resume_at,
                             batching::find_sampler(policy.sampler).resuming.about));
}

}  // namespace seqpoint::cli::options
