#include "cli/options/dataset_options.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "cli/progress.hpp"
#include "seqpoint/error.hpp"
#include "cli/options/shared_options.hpp"

namespace seqpoint::cli {
namespace {

const std::string& kLengthGroup = kDatasetGroups[0];
const std::string& kBatchGroup = kDatasetGroups[1];
const std::string& kSamplerGroup = kDatasetGroups[2];
constexpr std::uint64_t kMostLength = 0xFFFFFFFFU;
constexpr std::uint64_t kMostEpochs = 1'000'000'000;  // their sum and product with anything else stay whole

/// A whole number of 32 bits for an option, by its name without dashes.
std::uint32_t number_of_32_bits(const std::string& name, const std::string& text) {
  OptionValues given;
  given.set(name, text);
  const std::uint64_t number = *given.count(name);
  if (number > kMostLength) throw UsageError("--" + name + " must be at most 4294967295");
  return static_cast<std::uint32_t>(number);
}

/// Calls back with a length; CLI11 keeps no 32-bit optional apart.
CLI::Option* add_length(CLI::App& app, const std::string& name, std::optional<std::uint32_t>& value, const std::string& help) {
  return app.add_option_function<std::string>(
                name,
                [&value, name](const std::string& text) { value = number_of_32_bits(name.substr(2), text); },
                help)
      ->type_name("N");
}

std::size_t threads_of(const std::string& text) {
  OptionValues given;
  given.set("threads", text);
  const std::uint64_t threads = *given.count("threads");
  constexpr std::uint64_t kMost = 1024;
  if (threads == 0 || threads > kMost) throw UsageError("--threads must be 1 to 1024");
  return threads;
}

void add_length_options(CLI::App& app, DatasetOptions& o) {
  ReadOptions& read = o.read;
  const auto grouped = [](CLI::Option* option) { option->group(kLengthGroup); };
  grouped(add_text(app, "--format", read.format, "of the input; guessed from its content when left out", "NAME"));
  grouped(app.add_option("--tgt", o.targets, "the target side of parallel data, row by row")->type_name("FILE")->allow_extra_args(false));
  grouped(add_text(app, "--length-field", read.length_field, "column, or dotted JSON key, that holds the length", "NAME"));
  grouped(add_text(app, "--tgt-length-field", read.tgt_length_field, "the same for the target side", "NAME"));
  grouped(app.add_option_function<std::string>(
                 "--length-unit",
                 [&read](const std::string& name) {
                   read.unit = length_unit(name);
                   if (!read.unit) throw UsageError("--length-unit: there is no unit '" + name + "'", "one of: seconds, ms, samples, frames, tokens, bytes");
                 },
                 "seconds, ms, samples, frames, tokens or bytes; else what the column's name says")
              ->type_name("UNIT"));
  grouped(add_positive(app, "--sample-rate", read.frames.sample_rate, "samples a second, for durations"));
  grouped(add_positive(app, "--frame-shift", read.frames.frame_shift, "seconds a frame, for durations and samples [0.01, or the front end's own]"));
  grouped(app.add_option_function<std::string>(
                 "--front-end",
                 [&read](const std::string& name) { read.frames.front_end = find_front_end(name).name; },
                 "how audio samples become frames; see `seqpoint formats`")
              ->type_name("NAME")->default_str(read.frames.front_end));
  grouped(add_length(app, "--min-length", read.min_length, "leave out shorter samples (sequence length, inclusive)"));
  grouped(add_length(app, "--max-length", read.max_length, "leave out longer samples (sequence length, inclusive)"));
  grouped(app.add_option_function<std::string>(
                 "-j,--threads", [&read](const std::string& text) { read.threads = threads_of(text); },
                 "that parse; the result does not depend on it [all cores]")
              ->type_name("N"));
  app.get_option("--threads")->group(kRunningGroup);
  grouped(app.add_flag("--probe-audio", read.probe_audio, "take lengths that the manifest lacks from the headers of its audio files"));
  grouped(app.add_flag("--skip-missing", read.skip_missing, "leave out rows without a usable length, and count them"));
}

void add_text_options(CLI::App& app, ReadOptions& read) {
  add_text(app, "--tokenizer", read.tokenizer, "SentencePiece model whose pieces are the tokens of text; else words", "FILE")
      ->group(kLengthGroup);
  const auto add = [&](const std::string& name, std::uint32_t& value, const char* side) {
    app.add_option_function<std::string>(
           name,
           [&value, name](const std::string& text) { value = number_of_32_bits(name.substr(2), text); },
           std::string("special symbols added to each line of ") + side + " text")
        ->type_name("N")->group(kLengthGroup);
  };
  app.add_option_function<std::string>(
         "--split",
         [&read](const std::string& name) {
           const auto split = text_split(name);
           if (!split) throw UsageError("--split: there is no way '" + name + "'", "one of: whitespace, spaces, each-space");
           read.split = *split;
         },
         "what separates the tokens of text: whitespace (as Python's split()), spaces (runs), each-space (count(' ') + 1) [whitespace]")
      ->type_name("WAY")->group(kLengthGroup);
  add("--add-src", read.add_src, "source");
  add("--add-tgt", read.add_tgt, "target");
}

void add_batch_options(CLI::App& app, DatasetOptions& o) {
  BatchPolicy& policy = o.batching;
  const auto grouped = [](CLI::Option* option) { option->group(kBatchGroup); };
  grouped(add_text(app, "--sampler", policy.sampler, "how the training loader orders and batches; see `seqpoint samplers`", "NAME")->capture_default_str());
  grouped(add_text(app, "--sampler-version", policy.version, "of the framework, where its order changed", "V"));
  grouped(add_count(app, "--batch-size", policy.batch_size, "samples a batch, of one rank", {1, kMostLength})->default_str(""));
  grouped(add_seed(app, "--seed", policy.seed, "of the sampler [0]"));
  grouped(add_count(app, "--epoch", policy.first_epoch, "the first epoch, from 0", {0, kMostEpochs}));
  grouped(add_count(app, "--epochs", policy.epochs, "how many epochs", {1, kMostEpochs}));
  grouped(app.add_flag("--drop-last", policy.drop_last, "leave out the incomplete last batch"));
  grouped(add_count(app, "--world-size", policy.world_size, "data-parallel ranks", {1, 1U << 20U}));
  grouped(add_count(app, "--grad-accumulation", policy.grad_accumulation, "batches an optimiser step", {1}));
  grouped(app.add_option_function<std::string>(
                 "--pad-multiple",
                 [&o](const std::string& text) {
                   o.signature.pad_multiple = number_of_32_bits("pad-multiple", text);
                   if (o.signature.pad_multiple == 0) throw UsageError("--pad-multiple must be 1 or more");
                 },
                 "padded lengths are rounded up to a multiple of this")
              ->type_name("M")->default_str("1"));
}

std::vector<OwnedOption> options_of_samplers() {
  std::vector<OwnedOption> options;
  for (const Sampler& sampler : samplers())
    for (const OptionSpec& spec : sampler.options) options.push_back({spec, sampler.name});
  return options;
}

std::string frames_text(const FrameRule& frames) {
  if (frames.front_end != front_ends().front().name) return "front end " + frames.front_end;
  return "a frame every " + counted(frames.framing().hop, "sample");
}

bool is_audio(const InputRecord& input) { return input.unit == "seconds" || input.unit == "ms" || input.unit == "samples"; }

void tell_input(const InputRecord& input, const FrameRule& frames, Console& console) {
  std::string text = input.path + ": " + counted(input.rows, "row") + ", format " + input.format;
  if (!input.fields.empty()) text += ", length from '" + input.fields + "'";
  if (!input.unit.empty()) text += ", unit " + input.unit;
  if (is_audio(input))
    text += " at " + number_text(frames.sample_rate, std::max(1, 1 + static_cast<int>(std::log10(frames.sample_rate)))) + " Hz, " + frames_text(frames);
  console.note(text);
}

/// What makes frames of audio changes no number where there is none; who asked for it would not know.
void warn_of_frames_without_audio(const Dataset& dataset, const FrameRule& frames, Console& console) {
  if (std::any_of(dataset.inputs.begin(), dataset.inputs.end(), is_audio)) return;
  const FrameRule unchanged;
  const auto warn = [&](bool given, const char* option) {
    if (given) console.warn(std::string(option) + " changes nothing: no length here is a duration or a number of audio samples (--length-unit says what they are)");
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
    console.warn(counted(dataset.zeros, "sample") + " of " + std::to_string(dataset.lengths.size()) + " with a length of 0, kept (--min-length 1 leaves out such samples)");
  for (const std::string& note : dataset.notes) console.warn(note);
}

std::vector<Input> open_all(const std::vector<std::string>& paths) {
  std::vector<Input> inputs;
  for (const std::string& argument : paths)
    for (const std::string& path : manifest_paths(argument)) inputs.push_back(Input::open(path));
  return inputs;
}

void require_one_standard_input(const DatasetOptions& o) {
  const auto uses = std::count(o.manifests.begin(), o.manifests.end(), "-") + std::count(o.targets.begin(), o.targets.end(), "-");
  if (uses > 1) throw UsageError("standard input (-) can be only one of the inputs");
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

/// Options that only a manifest has a use for. Of a trace, --format says that it is one, --batch-size fills a missing column,
/// --signature says which columns count.
void refuse_dataset_options(const CLI::App& app, const std::string& trace) {
  for (const CLI::Option* const option : app.get_options()) {
    const std::string group = option->get_group(), name = option->get_name();
    const bool of_manifests = std::find(kDatasetGroups.begin(), kDatasetGroups.end(), group) != kDatasetGroups.end();
    if (of_manifests && option->count() > 0 && name != "--format" && name != "--batch-size" && name != "--signature")
      throw UsageError(name + " has no use here: " + trace + " is a trace, whose iterations are batched already");
  }
}

LoadedRun load_trace(Input input, const DatasetOptions& o, Console& console) {
  std::optional<std::uint32_t> batch_size;
  if (o.batching.batch_size > 0) batch_size = static_cast<std::uint32_t>(o.batching.batch_size);
  TraceFile file = read_trace(std::move(input), batch_size, o.signature.kind);
  console.note(file.record.path + ": " + counted(file.record.rows, "iteration") + ", format trace");
  for (const std::string& note : file.notes) console.warn(note);
  const auto zeros = std::count(file.trace.src_len.begin(), file.trace.src_len.end(), 0U);
  if (zeros > 0) console.warn(file.record.path + ": " + counted(static_cast<std::uint64_t>(zeros), "iteration") + " with " + (file.trace.varlen() ? "no tokens" : "a length of 0") + ", kept");
  return {std::move(file.trace), {}, {file.record}};
}

}  // namespace

void add_dataset_options(CLI::App& app, DatasetOptions& o) {
  o.read.threads = std::max(1U, std::thread::hardware_concurrency());
  o.read.map_files = true;  // SIGBUS ends in a message (app.cpp)
  app.add_option("manifest", o.manifests, "Training manifests; - is standard input")->required()->type_name("MANIFEST");
  add_length_options(app, o);
  add_text_options(app, o.read);
  add_batch_options(app, o);
  add_signature(app, o.signature.kind)->group(kBatchGroup);
  add_table_options(app, options_of_samplers(), o.batching.options, kSamplerGroup);
}

void require_valid(const DatasetOptions& o, const std::vector<std::string>& outputs, bool batches) {
  require_one_standard_input(o);
  std::vector<std::string> inputs = o.manifests;
  inputs.insert(inputs.end(), o.targets.begin(), o.targets.end());
  refuse_to_overwrite(inputs, outputs);
  if (batches) require_valid(o.batching);
  require_valid(o.signature);
}

Dataset load_dataset(const DatasetOptions& o, Console& console) {
  return load_opened(open_shown(o, console), o, console);
}

LoadedRun load_run(const CLI::App& app, const DatasetOptions& o, Console& console) {
  OpenInputs inputs = open_shown(o, console);
  std::vector<Input>& sources = inputs.sources;
  if (is_trace(sources.front(), o.read.format)) {
    if (sources.size() > 1) throw UsageError("a trace is a whole run: give one of them, not " + std::to_string(sources.size()));
    refuse_dataset_options(app, sources.front().name());
    return load_trace(std::move(sources.front()), o, console);
  }
  require_valid(o.batching);
  Dataset dataset = load_opened(std::move(inputs), o, console);
  LoadedRun run;
  run.trace = during(console, "batching", [&] { return trace_of(dataset.lengths, o.batching, o.signature); });
  if (run.trace.size() == 0)
    refuse_empty_run(o.batching);
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

void refuse_empty_run(const BatchPolicy& policy) {
  if (policy.drop_last)
    throw UsageError("no iteration is left: --drop-last drops the only batch", "a smaller --batch-size, or no --drop-last");
  throw UsageError("no iteration is left: --sampler " + policy.sampler + " leaves out incomplete batches", "a smaller --batch-size");
}

void refuse_to_overwrite_read(const DatasetOptions& o, std::span<const InputRecord> inputs, std::span<const std::string> outputs) {
  std::vector<std::string> paths{o.read.tokenizer};
  for (const InputRecord& input : inputs) paths.push_back(input.path);
  refuse_to_overwrite(paths, outputs);
}

void tell_assumptions(const BatchPolicy& policy, Console& console) {
  const std::string assumed = find_sampler(policy.sampler).assumes(policy);
  if (!assumed.empty()) console.note("--sampler " + policy.sampler + ": " + assumed);
}

}  // namespace seqpoint::cli
