#include "cli/options/dataset_inputs.hpp"

#include <algorithm>
#include <cmath>

#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/lengths/front_end.hpp"

namespace seqpoint::cli::options {
namespace {

std::string frames_text(const FrameRule& frames) {
  if (frames.front_end != front_ends().front().name) return "front end " + frames.front_end;
  return "a frame every " + counted(frames.framing().hop, "sample");
}

bool is_audio(const InputRecord& input) {
  return input.unit == "seconds" || input.unit == "ms" || input.unit == "samples";
}

void tell_input(const InputRecord& input, const FrameRule& frames, Console& console) {
  std::string text = input.path + ": " + counted(input.rows, "row") + ", format " + input.format;
  if (!input.fields.empty()) text += ", length from '" + input.fields + "'";
  if (!input.unit.empty()) text += ", unit " + input.unit;
  if (is_audio(input))
    text += " at " +
            number_text(frames.sample_rate, std::max(1, 1 + static_cast<int>(std::log10(frames.sample_rate)))) +
            " Hz, " + frames_text(frames);
  console.note(text);
}

/// What makes frames of audio changes no number where there is none; who asked for it would not know.
void warn_of_frames_without_audio(const Dataset& dataset, const FrameRule& frames, Console& console) {
  if (std::any_of(dataset.inputs.begin(), dataset.inputs.end(), is_audio)) return;
  const FrameRule unchanged;
  const auto warn = [&](bool given, const char* option) {
    if (given)
      console.warn(std::string(option) +
                   " changes nothing: no length here is a duration or a number of audio samples (--length-unit says "
                   "what they are)");
  };
  warn(frames.front_end != unchanged.front_end, "--front-end");
  warn(frames.sample_rate != unchanged.sample_rate, "--sample-rate");
  warn(frames.frame_shift.has_value(), "--frame-shift");
}

void tell_accounting(const Dataset& dataset, Console& console) {
  const auto left_out = [&](std::uint64_t n, const char* why) {
    if (n > 0) console.note(counted(n, "row") + " of " + std::to_string(dataset.rows) + " left out: " + why);
  };
  left_out(dataset.missing, "no usable length (--skip-missing)");
  left_out(dataset.marked, "marked so in the manifest");
  left_out(dataset.too_short, "shorter than --min-length");
  left_out(dataset.too_long, "longer than --max-length");
  if (dataset.zeros > 0)
    console.warn(counted(dataset.zeros, "sample") + " of " + std::to_string(dataset.lengths.size()) +
                 " with a length of 0, kept (--min-length 1 leaves out such samples)");
  for (const std::string& note : dataset.notes) console.warn(note);
}

std::vector<Input> open_all(const std::vector<std::string>& paths) {
  std::vector<Input> inputs;
  for (const std::string& argument : paths)
    for (const std::string& path : manifest_paths(argument)) inputs.push_back(Input::open(path));
  return inputs;
}

/// Manifests, or a trace.
struct OpenInputs {
  std::vector<Input> sources, targets;
};

OpenInputs open_shown(const DatasetOptions& o, const Console& console) {
  OpenInputs inputs{open_all(o.manifests), open_all(o.targets)};
  std::vector<Input*> all;
  for (std::vector<Input>* const side : {&inputs.sources, &inputs.targets})
    for (Input& input : *side) all.push_back(&input);
  show_reading(all, console);
  return inputs;
}

Dataset load_opened(OpenInputs inputs, const DatasetOptions& o, Console& console) {
  ReadOptions read = o.read;
  const Sampler& sampler = find_sampler(o.batching.sampler);
  read.keep_seconds = sampler.needs_seconds || sampler.uses_seconds;
  const Dataset dataset = read_dataset(std::move(inputs.sources), std::move(inputs.targets), read);
  for (const InputRecord& input : dataset.inputs) tell_input(input, o.read.frames, console);
  warn_of_frames_without_audio(dataset, o.read.frames, console);
  tell_accounting(dataset, console);
  return dataset;
}

LoadedRun load_trace(Input input, const DatasetOptions& o, Console& console) {
  std::optional<std::uint32_t> batch_size;
  if (o.batching.batch_size > 0) batch_size = static_cast<std::uint32_t>(o.batching.batch_size);
  TraceFile file = read_trace(std::move(input), batch_size, o.signature.kind);
  console.note(file.record.path + ": " + counted(file.record.rows, "iteration") + ", format trace");
  for (const std::string& note : file.notes) console.warn(note);
  const auto zeros = std::count(file.trace.src_len.begin(), file.trace.src_len.end(), 0U);
  if (zeros > 0)
    console.warn(file.record.path + ": " + counted(static_cast<std::uint64_t>(zeros), "iteration") + " with " +
                 (file.trace.varlen() ? "no tokens" : "a length of 0") + ", kept");
  return {std::move(file.trace), {}, {file.record}};
}

}  // namespace

Dataset load_dataset(const DatasetOptions& o, Console& console) {
  return load_opened(open_shown(o, console), o, console);
}

LoadedRun load_run(const GivenOptions& given, const DatasetOptions& o, Console& console) {
  OpenInputs inputs = open_shown(o, console);
  std::vector<Input>& sources = inputs.sources;
  if (is_trace(sources.front(), o.read.format)) {
    if (sources.size() > 1)
      throw UsageError("a trace is a whole run: give one of them, not " + std::to_string(sources.size()));
    refuse_dataset_options(given, sources.front().name());
    return load_trace(std::move(sources.front()), o, console);
  }
  require_valid(o.batching);
  Dataset dataset = load_opened(std::move(inputs), o, console);
  LoadedRun run;
  run.trace = during(console, "batching", [&] { return trace_of(dataset.lengths, o.batching, o.signature); });
  if (run.trace.size() == 0) refuse_empty_run(o.batching);
  run.lengths = std::move(dataset.lengths);
  run.inputs = std::move(dataset.inputs);
  tell_assumptions(o.batching, console);
  return run;
}

TraceFile load_measured_trace(const std::string& path, SignatureKind kind, Console& console) {
  TraceFile file = read_trace(open_shown(path, console), {}, kind);
  for (const std::string& note : file.notes) console.warn(note);
  return file;
}

void refuse_to_overwrite_read(const DatasetOptions& o, std::span<const InputRecord> inputs,
                              std::span<const std::string> outputs) {
  std::vector<std::string> paths{o.read.tokenizer};
  for (const InputRecord& input : inputs) paths.push_back(input.path);
  refuse_to_overwrite(paths, outputs);
}

void tell_assumptions(const BatchPolicy& policy, Console& console) {
  const std::string assumed = find_sampler(policy.sampler).assumes(policy);
  if (!assumed.empty()) console.note("--sampler " + policy.sampler + ": " + assumed);
}

}  // namespace seqpoint::cli::options
