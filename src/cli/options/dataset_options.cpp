#include "cli/options/dataset_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "cli/options/exports.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/lengths.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::options {
namespace {

constexpr std::uint64_t kMostLength = 0xFFFFFFFFU;
constexpr std::uint64_t kMostEpochs = 1'000'000'000;  // their sum and product with anything else stay whole

std::size_t threads_of(const std::string& text) {
  OptionValues given;
  given.set("threads", text);
  const std::uint64_t threads = *given.count("threads");
  constexpr std::uint64_t kMost = 1024;
  if (threads == 0 || threads > kMost) throw UsageError("--threads must be 1 to 1024");
  return threads;
}

std::uint32_t pad_multiple_of(const std::string& text) {
  const std::uint32_t multiple = parse_length("--pad-multiple", text);
  if (multiple == 0) throw UsageError("--pad-multiple must be 1 or more");
  return multiple;
}

/// What the text behind an option is converted to goes there.
template <class To, class Function>
auto into(To& to, Function convert) {
  return [&to, convert](const std::string& text) { to = convert(text); };
}

OptionRows length_rows(DatasetOptions& o) {
  io::manifests::ReadOptions& read = o.read;
  lengths::FrameRule& frames = read.frames;
  const auto format = [](const std::string& name) { return name.empty() ? "" : io::manifests::find_reader(name).name; };
  const auto front_end = [](const std::string& name) { return lengths::find_front_end(name).name; };
  return {
      {"--format", among(io::manifests::readers, converted("NAME", into(read.format, format))),
       "format of the input; guessed from its content when left out"},
      {"--tgt", list_to(o.targets, "FILE"), "the target side of parallel data, row by row"},
      {"--length-field", text_to(read.length_field, "NAME"), "column, or dotted JSON key, that holds the length"},
      {"--tgt-length-field", text_to(read.tgt_length_field, "NAME"), "the same for the target side"},
      {"--length-unit", word_to(read.unit, "UNIT", lengths::kLengthUnits),
       "seconds, ms, samples, frames, tokens or bytes; else what the column's name says"},
      {"--sample-rate", positive_to(frames.sample_rate), "samples a second, for durations"},
      {"--frame-shift", positive_to(frames.frame_shift),
       "seconds a frame, for durations and samples [0.01, or the front end's own]"},
      {"--front-end",
       among(lengths::front_ends, converted("NAME", into(frames.front_end, front_end), frames.front_end)),
       "how audio samples become frames; see `seqpoint formats`"},
      {"--min-length", length_to(read.min_length), "leave out shorter samples (sequence length, inclusive)"},
      {"--max-length", length_to(read.max_length), "leave out longer samples (sequence length, inclusive)"},
      {"-j,--threads", converted("N", into(read.threads, threads_of)),
       "threads that parse; the result does not depend on their number [all cores]", kRunningGroup},
      {"--skip-missing", flag_to(read.skip_missing), "leave out rows without a usable length, and count them"},
      {"--split", word_to(read.split, "WAY", io::manifests::kTextSplits),
       "what separates the tokens of text: whitespace (as Python's split()), spaces (runs), each-space (count(' ') + "
       "1) [whitespace]"},
      {"--add-src", length_to(read.add_src), "special symbols added to each line of source text"},
      {"--add-tgt", length_to(read.add_tgt), "special symbols added to each line of target text"}};
}

/// What an order that was recorded decides.
OptionRow unless_recorded(OptionRow row) {
  return excluding(std::move(row), {{"sampler recorded", "the order says it"}});
}

OptionRows batch_rows(DatasetOptions& o) {
  batching::BatchPolicy& policy = o.batching;
  const auto sampler = [&o](const std::string& name) {
    o.names_sampler = true;
    return batching::find_sampler(name).name;
  };
  const auto pad_multiple = converted("M", into(o.signature.pad_multiple, pad_multiple_of), "1");
  return {
      {"--sampler", among(batching::samplers, converted("NAME", into(policy.sampler, sampler), policy.sampler)),
       "how the training loader orders and batches; see `seqpoint samplers`, and of NAME's own options `seqpoint "
       "samplers NAME`"},
      {"--sampler-version", text_to(policy.version, "V"),
       "version of the framework, where the order depends on it; `seqpoint samplers NAME` lists them"},
      unless_recorded({"--batch-size", count_to(policy.batch_size, 1, kMostLength), "samples a batch, of one rank"}),
      {"--seed", seed_to(policy.seed), "seed of the sampler [0]"},
      unless_recorded({"--epoch", count_to(policy.first_epoch, 0, kMostEpochs), "the first epoch, from 0"}),
      unless_recorded({"--epochs", count_to(policy.epochs, 1, kMostEpochs), "how many epochs"}),
      unless_recorded({"--drop-last", flag_to(policy.drop_last), "leave out the incomplete last batch"}),
      unless_recorded({"--world-size", count_to(policy.world_size, 1, 1U << 20U), "data-parallel ranks"}),
      {"--grad-accumulation", count_to(policy.grad_accumulation, 1),
       "batches per optimiser step; an iteration is still one of them"},
      unless_recorded(
          {"--resume-at", count_to(policy.resume_at, 1),
           "resume from a checkpoint, N optimiser steps after the start of --epoch: only the iterations that are left, "
           "numbered from 0"}),
      {"--pad-multiple", pad_multiple, "padded lengths are rounded up to a multiple of this"},
      signature_row(o.signature.layout)};
}

OptionRows sampler_rows(OptionValues& values) {
  std::vector<OwnedOption> options;
  for (const batching::Sampler& sampler : batching::samplers())
    for (const OptionSpec& spec : sampler.options) options.push_back({spec, sampler.name});
  OptionRows rows = table_rows(options, values);
  for (OptionRow& row : rows) row.of_samplers = owners_of(options, row.names);
  return rows;
}

}  // namespace

OptionRows dataset_rows(DatasetOptions& o, const std::string& manifest_help) {
  o.read.threads = std::max(1U, std::thread::hardware_concurrency());
  o.read.map_files = true;  // SIGBUS ends in a message (app.cpp)
  return joined({{required({"manifest", list_to(o.manifests, "MANIFEST"), manifest_help})},
                 grouped(kDatasetGroups[0], usual({"--format", "--tgt", "--length-field"}, length_rows(o))),
                 grouped(kDatasetGroups[1],
                         usual({"--sampler", "--batch-size", "--seed", "--drop-last", "--world-size"}, batch_rows(o))),
                 grouped(kDatasetGroups[2], sampler_rows(o.batching.options))});
}

void require_valid(const DatasetOptions& o, const std::vector<std::string>& outputs, Batching batching) {
  std::vector<std::string> inputs = o.manifests;
  inputs.insert(inputs.end(), o.targets.begin(), o.targets.end());
  if (batching::find_sampler(o.batching.sampler).needs_order)
    inputs.emplace_back(o.batching.options.text("order").value_or(""));
  require_one_standard_input(inputs);
  refuse_to_overwrite(inputs, outputs);
  if (batching == Batching::always) batching::require_valid(o.batching);
  if (batching == Batching::unless_trace) {
    batching::BatchPolicy policy = o.batching;
    policy.batch_size = std::max<std::uint64_t>(policy.batch_size, 1);  // a trace may have them in a column
    batching::require_valid(policy);
  }
  trace::require_valid(o.signature);
}

void refuse_dataset_options(const GivenOptions& given, const std::string& trace) {
  for (const auto& [name, group, values, default_text, place] : given) {
    const bool of_manifests = std::find(kDatasetGroups.begin(), kDatasetGroups.end(), group) != kDatasetGroups.end();
    if (of_manifests && !values.empty() && name != "format" && name != "batch-size" && name != "signature")
      throw UsageError(fmt::format("--{}{} has no use here: {} is a trace, whose iterations are batched already", name,
                                   place.empty() ? "" : fmt::format(" ({})", place), trace));
  }
}

void refuse_empty_run(const batching::BatchPolicy& policy) {
  if (policy.drop_last)
    throw UsageError("no iteration is left: --drop-last drops the only batch",
                     "a smaller --batch-size, or no --drop-last");
  throw UsageError(fmt::format("no iteration is left: --sampler {} leaves out incomplete batches", policy.sampler),
                   "a smaller --batch-size");
}

}  // namespace seqpoint::cli::options
