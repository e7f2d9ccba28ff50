#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "core/forecast/forecast.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

struct ScanRequest {
  DatasetOptions dataset;
  std::string output;         ///< path of the table; empty: not given
  bool rows = false;          ///< the table has a column with the samples of each batch
  bool lengths_only = false;  ///< list samples instead of batches
  bool summary = false;       ///< print a summary of the iterations; a table only if its output is given
  ExportPaths exports;        ///< exports of the summary
};

void declare(CLI::App& app, ScanRequest& o) {
  add_dataset_options(app, o.dataset, "Training manifests, or one batch list; - is standard input");
  OptionGroup usual(app), rare(app, "More");
  usual.path("-o,--output", o.output, "write the batch list there, whole or not at all; - is standard output");
  CLI::Option* const rows =
      rare.flag("--rows", o.rows, "add a column with the dataset rows of each batch (ranks separated by |)");
  CLI::Option* const lengths_only =
      rare.flag("--lengths-only", o.lengths_only, "write the length of every sample instead of batches");
  CLI::Option* const summary = usual.flag(
      "--summary", o.summary,
      "print padding, shapes, the largest batches and waiting of ranks; the default on a terminal without -o");
  lengths_only->excludes(rows)->excludes(summary);
  add_exports(app, o.exports, kTableFormats);
}

/// Throws UsageError for options that exclude each other.
void require_compatible(const ScanRequest& o) {
  if (!o.summary) return;
  if (o.lengths_only) throw UsageError("--lengths-only writes samples, and a summary is about batches");
  if (o.output == "-")
    throw UsageError("the batch list and --summary cannot both go to standard output", "-o FILE, or --summary alone");
  if (o.rows && o.output.empty()) throw UsageError("--rows has no use with --summary alone", "add -o FILE");
}

ScanRequest request_of(ScanRequest o, const CLI::App& app) {
  const bool asked = o.summary || !o.exports.exports.empty(),
             seen = o.output.empty() && !o.rows && !o.lengths_only && ::isatty(STDOUT_FILENO) != 0;
  o.summary = asked || seen;
  require_compatible(o);
  require_valid(o.exports, o.dataset.manifests);
  std::vector<std::string> outputs = o.exports.files();
  if (!o.summary || !o.output.empty()) outputs.push_back(o.output.empty() ? "-" : o.output);
  const Batching batching = o.lengths_only ? Batching::never : o.summary ? Batching::unless_trace : Batching::always;
  require_valid(app, o.dataset, outputs, batching);
  return o;
}

/// Columns for bars: as many as the terminal has, at most the usual number.
std::size_t bar_columns() {
  return std::min(io::views::kBarColumns, columns_of_terminal(STDOUT_FILENO).value_or(io::views::kBarColumns));
}

// --- the trace -----------------------------------------------------------------------------------------------------

/// The work of batching for a progress line: all samples of all epochs.
Work batching(const lengths::Lengths& lengths, const batching::BatchPolicy& policy) {
  return {"batching", "samples", lengths.size() * std::max<std::uint64_t>(policy.epochs, 1)};
}
/// Whether the rows are printed to a terminal. They show the progress themselves, so there is no progress line.
bool shows_rows(const std::string& output) { return (output.empty() || output == "-") && ::isatty(STDOUT_FILENO) != 0; }

/// The columns of the trace. The trace repeats every optional column of a recorded order.
io::artifacts::TraceWriter::Columns columns_of(const ScanRequest& request, const lengths::Lengths& lengths) {
  const batching::BatchPolicy& policy = request.dataset.batching;
  const batching::RecordedOrder none, &order = policy.order ? *policy.order : none;
  const trace::ShapeRule& shape = request.dataset.shape;
  return {.paired = lengths.paired(),
          .epochs = policy.epochs > 1 || !order.epoch.empty(),
          .steps = policy.grad_accumulation > 1 || !order.optimiser_step.empty(),
          .ranks = policy.world_size > 1,
          .rows = request.rows,
          .layout = shape.signature,
          .unpadded_tokens = shape.signature == trace::BatchLayout::varlen && shape.pad_multiple > 1};
}

/// Batches the lengths and writes a row per iteration. Throws UsageError if there are none.
void write_run(const ScanRequest& request, const lengths::Lengths& lengths, const io::artifacts::ByteSink& sink,
               Console& console) {
  const batching::BatchPolicy& policy = request.dataset.batching;
  std::optional<io::artifacts::TraceWriter> writer;  // after the sampler has accepted its options
  std::uint64_t iterations = 0;
  std::optional<ProgressLine> progress;
  if (!shows_rows(request.output)) progress.emplace(console, batching(lengths, policy));
  trace::for_each_iteration(lengths, policy, request.dataset.shape,
                            [&](const trace::IterationRow& row, const batching::MicroBatch& step) {
                              if (!writer) writer.emplace(columns_of(request, lengths), sink);
                              writer->add(row, step);
                              ++iterations;
                              if (progress) progress->advance(row.samples);
                            });
  if (iterations == 0) refuse_empty_run(policy);
  if (!request.summary) report_assumptions(request.dataset, console);
  console.note("listed " + counted(iterations, "batch"));
}

Exit run_table(ScanRequest& request, Console& console) {
  const std::string output = request.output.empty() ? "-" : request.output;
  io::stream::Output out(output);
  const io::manifests::Dataset dataset =
      load_dataset(request.dataset, request.lengths_only ? Batching::never : Batching::always, console);
  refuse_to_overwrite_read(dataset.inputs, std::vector{output});
  const io::artifacts::ByteSink sink = [&](std::string_view bytes) { out.write(bytes); };
  if (request.lengths_only)
    io::artifacts::write_lengths(dataset.lengths, sink);
  else
    write_run(request, dataset.lengths, sink, console);
  out.commit();
  return kDone;
}

// --- the summary ---------------------------------------------------------------------------------------------------

forecast::Forecast forecast_of(const LoadedRun& run, const ScanRequest& request, const Console& console) {
  return during(console, "counting", [&] {
    std::optional<forecast::DatasetUse> use;
    if (run.lengths) use = forecast::use_of(*run.lengths, request.dataset.batching, request.dataset.shape);
    return forecast::forecast(run.trace, use);
  });
}

void write_trace(const ScanRequest& request, const LoadedRun& run, io::stream::Output& out, Console& console) {
  if (run.is_trace())
    throw UsageError("-o: " + run.inputs.front().path + " is a batch list already", "leave -o out: --summary reads it");
  write_run(
      request, *run.lengths, [&](std::string_view bytes) { out.write(bytes); }, console);
}

/// Throws InputError if only a part of the batches has lengths: largest batches and first ones are not in it.
void require_all_batches(const LoadedRun& run) {
  if (run.trace.of_batches <= run.trace.size()) return;
  throw InputError(
      {run.inputs.front().path},
      fmt::format("has lengths of {} of {} batches, and a summary is of all", run.trace.size(), run.trace.of_batches),
      "make an order of all: python3 -m seqpoint_companion order --lengths -o order.csv -- train.py");
}

Exit run_summary(ScanRequest& request, const CLI::App& app, Console& console) {
  Exports exports(request.exports);
  std::optional<io::stream::Output> out;
  if (!request.output.empty()) out.emplace(request.output);
  const LoadedRun run = load_run(request.dataset, console);
  require_all_batches(run);
  std::vector<std::string> outputs = request.exports.files();
  if (out) outputs.push_back(request.output);
  refuse_to_overwrite_read(run.inputs, outputs);
  if (out) write_trace(request, run, *out, console);
  const forecast::Forecast forecast = forecast_of(run, request, console);
  const io::views::Bars bars = console.shows_blocks(STDOUT_FILENO) ? io::views::Bars::blocks : io::views::Bars::plain;
  const io::artifacts::Provenance made{
      run.is_trace() ? options_in_force(app, request.dataset.of_manifests) : options_in_force(app), run.inputs};
  exports.write({.json = io::artifacts::forecast_json(forecast, made),
                 .rows = io::views::forecast_rows(forecast),
                 .table = io::views::forecast_table(forecast),
                 .text = io::views::forecast_text(forecast) + "\n" +
                         io::views::histograms_text(forecast.run, bars, {}, bar_columns())},
                console);
  if (out) out->commit();
  return kDone;
}

Exit run(ScanRequest options, const CLI::App& app, Console& console) {
  ScanRequest request = request_of(std::move(options), app);
  return request.summary ? run_summary(request, app, console) : run_table(request, console);
}

}  // namespace

Command add_scan(CLI::App& program) {
  return add_command<ScanRequest>(
      program, "scan", "List the batches of an epoch; padding, shapes and memory before training",
      "Examples:\n"
      "  seqpoint scan train.jsonl --sampler pytorch --batch-size 32 --seed 1 > run.csv\n"
      "  seqpoint scan train.en --tgt train.de --batch-size 64 --sampler sorted --summary\n"
      "  seqpoint scan train.csv --sampler lhotse-bucketing:max-duration=200 --world-size 8 --summary\n"
      "  seqpoint scan run.csv --summary --json\n"
      "  zcat train.csv.gz | seqpoint scan - --length-field num_frames --batch-size 16 --rows",
      declare, run);
}

}  // namespace seqpoint::cli::commands
