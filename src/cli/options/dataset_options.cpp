#include "cli/options/dataset_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <thread>

#include "cli/options/exports.hpp"
#include "cli/options/shared_options.hpp"
#include "core/enum_names.hpp"
#include "core/lengths/lengths.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

constexpr std::uint64_t kMaxLength = 0xFFFFFFFFU;
constexpr std::uint64_t kMaxEpochs = 1'000'000'000;  // keeps sums and products exact

std::size_t threads_of(const std::string& text) {
  OptionValues given;
  given.set("threads", text);
  const std::uint64_t threads = *given.count("threads");
  constexpr std::uint64_t kMost = 1024;
  if (threads == 0 || threads > kMost) throw UsageError("--threads must be 1 to 1024");
  return threads;
}

/// The value of --pad-multiple. Throws UsageError unless it is a whole number of 1 or more.
std::uint32_t pad_multiple_of(const std::string& text) {
  const std::uint32_t multiple = parse_length("--pad-multiple", text);
  if (multiple == 0) throw UsageError("--pad-multiple must be 1 or more");
  return multiple;
}

void add_lengths(CLI::App& app, DatasetOptions& o) {
  io::manifests::ReadOptions& read = o.read;
  const auto format = [&read](const auto&, const std::string& name) {
    read.format = name.empty() ? "" : io::manifests::find_reader(name).name;
  };
  OptionGroup usual(app), rare(app, "Lengths");
  rare.other("--format", "NAME", format, "format of the input [guessed from its content]");
  usual.list("--tgt", o.targets, "FILE", "the target side of parallel data, row by row");
  usual.text("--length-field", read.length_field, "NAME", "column, or dotted JSON key, that holds the length");
  rare.text("--tgt-length-field", read.tgt_length_field, "NAME", "the same for the target side");
}

void add_audio(CLI::App& app, io::manifests::ReadOptions& read) {
  lengths::FrameRule& frames = read.frames;
  const auto front_end = [&frames](const auto&, const std::string& name) {
    frames.front_end = lengths::find_front_end(name).name;
  };
  OptionGroup rare(app, "Lengths");
  rare.word("--length-unit", read.length_unit, "UNIT", lengths::kLengthUnits,
            "seconds, ms, samples, frames, tokens or bytes [from the column's name]");
  rare.positive("--sample-rate", frames.sample_rate, "samples a second, for durations");
  rare.positive("--frame-shift", frames.frame_shift,
                "seconds a frame, for durations and samples [0.01, or the front end's own]");
  rare.other("--front-end", "NAME", front_end, "how audio samples become frames; see `seqpoint list formats`",
             frames.front_end);
}

void add_limits_and_text(CLI::App& app, io::manifests::ReadOptions& read) {
  OptionGroup rare(app, "Lengths");
  rare.length("--min-length", read.min_length, "leave out shorter samples (sequence length, inclusive)");
  rare.length("--max-length", read.max_length, "leave out longer samples (sequence length, inclusive)");
  OptionGroup(app, kRunningGroup)
      .other(
          "-j,--threads", "N", [&read](const auto&, const std::string& text) { read.threads = threads_of(text); },
          "threads that parse; the result does not depend on their number [all cores]");
  rare.flag("--skip-missing", read.skip_missing, "leave out rows without a usable length, and count them");
  rare.word(
      "--split", read.split, "WAY", io::manifests::kTextSplits,
      "what separates the tokens of text: whitespace (as Python's split()), spaces (runs), each-space (count(' ') "
      "+ 1) [whitespace]");
  rare.length("--add-src", read.add_src, "special symbols added to each line of source text");
  rare.length("--add-tgt", read.add_tgt, "special symbols added to each line of target text");
}

void add_batching(CLI::App& app, DatasetOptions& o) {
  batching::BatchPolicy& policy = o.batching;
  const auto sampler = [&o](const auto&, const std::string& text) {
    batching::SamplerChoice choice = batching::parse_sampler(text);
    o.names_sampler = true;
    o.batching.sampler = choice.sampler->name;
    o.batching.options = std::move(choice.options);
  };
  const auto pad_multiple = [&o](const auto&, const std::string& text) {
    o.shape.pad_multiple = pad_multiple_of(text);
  };
  OptionGroup usual(app), rare(app, "Batching");
  usual.other(
      "--sampler", "NAME[:KEY=VALUE,...]", sampler,
      "how the training loader orders and batches, with the sampler's own options; see `seqpoint list samplers`",
      policy.sampler);
  rare.text("--sampler-version", policy.sampler_version, "V",
            "version of the framework, if the order depends on it; see `seqpoint list samplers NAME`");
  usual.count("--batch-size", policy.batch_size, "samples per batch and rank", 1, kMaxLength);
  usual.seed("--seed", policy.seed, "seed of the sampler [0]");
  rare.count("--epoch", policy.epoch, "the first epoch, from 0", 0, kMaxEpochs);
  rare.count("--epochs", policy.epochs, "how many epochs", 1, kMaxEpochs);
  usual.flag("--drop-last", policy.drop_last, "leave out the incomplete last batch");
  usual.count("--world-size", policy.world_size, "data-parallel ranks", 1, 1U << 20U);
  rare.count("--grad-accumulation", policy.grad_accumulation, "batches per optimiser step", 1);
  rare.count("--resume-at", policy.resume_at,
             "resume from a checkpoint, N optimiser steps after the start of --epoch: list only the batches left", 1);
  rare.other("--pad-multiple", "M", pad_multiple,
             "padded lengths (varlen: the tokens of a batch) are rounded up to a multiple of this", "1");
  add_shape(rare, o.shape.signature);
}

/// All options that are declared so far, except positionals, those that also apply to a trace, and those for help,
/// which every command replaces later.
std::vector<const CLI::Option*> options_of_manifests(const CLI::App& app) {
  constexpr std::array<std::string_view, 7> kOthers{"",        "--format", "--threads", "--batch-size",
                                                    "--shape", "--help",   "--help-all"};
  std::vector<const CLI::Option*> found;
  for (const CLI::Option* const option : app.get_options())
    if (std::ranges::find(kOthers, name_of(*option)) == kOthers.end()) found.push_back(option);
  return found;
}

/// Throws UsageError if --sampler recorded is given with an option whose value the order determines.
void require_no_policy_of_a_recorded_order(const CLI::App& app, const batching::BatchPolicy& policy) {
  constexpr std::array<std::string_view, 6> kDecided{"--batch-size", "--epoch",      "--epochs",
                                                     "--drop-last",  "--world-size", "--resume-at"};
  const auto decided =
      std::ranges::find_if(kDecided, [&](std::string_view name) { return is_given(app, std::string(name)); });
  if (decided != kDecided.end() && policy.sampler == "recorded")
    throw UsageError(fmt::format("{} and --sampler recorded exclude each other", *decided), "the order says it");
}

}  // namespace

void add_dataset_options(CLI::App& app, DatasetOptions& o, const std::string& manifest_help) {
  o.read.threads = std::max(1U, std::thread::hardware_concurrency());
  o.read.map_files = true;  // SIGBUS leads to a message (app.cpp)
  OptionGroup(app).list("manifest", o.manifests, "MANIFEST", manifest_help)->required();
  add_lengths(app, o);
  add_audio(app, o.read);
  add_limits_and_text(app, o.read);
  add_batching(app, o);
  o.of_manifests = options_of_manifests(app);
}

void require_valid(const CLI::App& app, const DatasetOptions& o, const std::vector<std::string>& outputs,
                   Batching batching) {
  require_no_policy_of_a_recorded_order(app, o.batching);
  require_valid(o, outputs, batching);
}

void require_valid(const DatasetOptions& o, const std::vector<std::string>& outputs, Batching batching) {
  std::vector<std::string> inputs = o.manifests;
  inputs.insert(inputs.end(), o.targets.begin(), o.targets.end());
  if (batching::find_sampler(o.batching.sampler).needs_order)
    inputs.emplace_back(o.batching.options.text("order").value_or(""));
  refuse_several_standard_inputs(inputs);
  refuse_to_overwrite(inputs, outputs);
  if (batching == Batching::always) batching::require_valid(o.batching);
  if (batching == Batching::unless_trace) {
    batching::BatchPolicy policy = o.batching;
    policy.batch_size = std::max<std::uint64_t>(policy.batch_size, 1);  // a trace may have a column instead
    batching::require_valid(policy);
  }
  trace::require_valid(o.shape);
}

void refuse_dataset_options(const DatasetOptions& o, const std::string& trace) {
  constexpr std::array<std::string_view, 2> kOfTraces{"--grad-accumulation",  // a trace may lack optimiser steps
                                                      "--pad-multiple"};      // and may be from before padding
  for (const CLI::Option* const option : o.of_manifests)
    if (option->count() > 0 && std::ranges::find(kOfTraces, name_of(*option)) == kOfTraces.end())
      throw UsageError(fmt::format("{} has no use here: {} is a list of batches", name_of(*option), trace));
}

void refuse_empty_run(const batching::BatchPolicy& policy) {
  if (policy.drop_last)
    throw UsageError("no batch is left: --drop-last drops the only one", "a smaller --batch-size, or no --drop-last");
  throw UsageError(fmt::format("no batch is left: --sampler {} leaves out incomplete ones", policy.sampler),
                   "a smaller --batch-size");
}

}  // namespace seqpoint::cli::options
