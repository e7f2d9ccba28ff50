#include <unistd.h>

#include <optional>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "io/views/summary_text.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

struct ScanRequest {
  DatasetOptions dataset;
  std::string output;         ///< of the table; empty: not said
  bool rows = false;          ///< the table has a column with the samples of each batch
  bool lengths_only = false;  ///< it is one of samples
  bool summary = false;       ///< at a glance, and a table only where its output is said
};

OptionRows rows_of(ScanRequest& o) {
  return joined(
      {dataset_rows(o.dataset, "Training manifests; - is standard input"),
       {{"-o,--output", path_to(o.output), "write the trace there, whole or not at all; - is standard output",
         kOutputGroup},
        {"--rows", flag_to(o.rows), "add a column with the dataset rows of each batch (ranks separated by |)"},
        excluding({"--lengths-only", flag_to(o.lengths_only), "write the length of every sample instead of iterations"},
                  {{"rows"}, {"summary", "--summary is about iterations"}}),
        {"--summary", flag_to(o.summary), "show the run at a glance instead of its iterations; with -o beside them"}}});
}

void require_compatible(const ScanRequest& o) {
  if (!o.summary) return;
  if (o.output == "-")
    throw UsageError("the trace and --summary cannot both go to standard output", "-o FILE, or --summary alone");
  if (o.rows && o.output.empty()) throw UsageError("--rows has no use with --summary alone", "add -o FILE");
}

ScanRequest request_of(ScanRequest o, const GivenOptions&) {
  require_compatible(o);
  require_valid(o.dataset, {o.output.empty() ? "-" : o.output},
                o.lengths_only ? Batching::never : Batching::unless_trace);
  return o;
}

/// Rows that go to the terminal as they are made show themselves how far the work is.
Work batching(const lengths::Lengths& lengths, const batching::BatchPolicy& policy) {
  return {"batching", "samples", lengths.size() * std::max<std::uint64_t>(policy.epochs, 1)};
}
bool shows_rows(const std::string& output) { return (output.empty() || output == "-") && ::isatty(STDOUT_FILENO) != 0; }

/// What an order has a column of, its trace has too.
io::artifacts::TraceWriter::Columns columns_of(const ScanRequest& request, const lengths::Lengths& lengths) {
  const batching::BatchPolicy& policy = request.dataset.batching;
  const batching::RecordedOrder none, &order = policy.order ? *policy.order : none;
  return {.paired = lengths.paired(),
          .epochs = policy.epochs > 1 || !order.epoch.empty(),
          .steps = policy.grad_accumulation > 1 || !order.optimiser_step.empty(),
          .ranks = policy.world_size > 1,
          .rows = request.rows,
          .layout = request.dataset.signature.layout};
}

void write_run(const ScanRequest& request, const lengths::Lengths& lengths, const io::artifacts::ByteSink& sink,
               Console& console) {
  const batching::BatchPolicy& policy = request.dataset.batching;
  std::optional<io::artifacts::TraceWriter> writer;  // after the sampler has accepted its options
  std::uint64_t iterations = 0;
  std::optional<ProgressLine> progress;
  if (!shows_rows(request.output)) progress.emplace(console, batching(lengths, policy));
  trace::for_each_iteration(lengths, policy, request.dataset.signature,
                            [&](const trace::IterationRow& row, const batching::MicroBatch& step) {
                              if (!writer) writer.emplace(columns_of(request, lengths), sink);
                              writer->add(row, step);
                              ++iterations;
                              if (progress) progress->advance(row.samples);
                            });
  if (iterations == 0) refuse_empty_run(policy);
  tell_assumptions(request.dataset, console);
  console.note(counted(lengths.size(), "sample") + (lengths.size() == 1 ? " makes " : " make ") +
               counted(iterations, "iteration"));
}

void write_summary(const ScanRequest& request, const lengths::Lengths& lengths, Console& console) {
  const batching::BatchPolicy& policy = request.dataset.batching;
  const trace::Trace trace =
      during(console, "batching", [&] { return trace::trace_of(lengths, policy, request.dataset.signature); });
  if (trace.size() == 0) refuse_empty_run(policy);
  if (request.output.empty()) tell_assumptions(request.dataset, console);
  const trace::RunSummary run = during(console, "counting", [&] { return trace::summarise(trace); });
  write_text("-", io::views::summary_text(
                      run, console.shows_blocks(STDOUT_FILENO) ? io::views::Bars::blocks : io::views::Bars::plain));
}

Exit run(ScanRequest request, Console& console) {
  const std::string output = request.output.empty() ? "-" : request.output;
  io::stream::Output out(output);
  const io::manifests::Dataset dataset =
      load_dataset(request.dataset, request.lengths_only ? Batching::never : Batching::always, console);
  refuse_to_overwrite_read(dataset.inputs, std::vector{output});
  const io::artifacts::ByteSink sink = [&](std::string_view bytes) { out.write(bytes); };
  if (request.lengths_only)
    io::artifacts::write_lengths(dataset.lengths, sink);
  else if (!request.summary || !request.output.empty())
    write_run(request, dataset.lengths, sink, console);
  out.commit();
  if (request.summary) write_summary(request, dataset.lengths, console);
  return kDone;
}

}  // namespace

CommandSpec scan_command() {
  return command_of<ScanRequest, ScanRequest>(
      "scan", "The iterations of a run, before anything has run",
      "Examples:\n"
      "  seqpoint scan train.jsonl --sampler pytorch --batch-size 32 --seed 1 > run.csv\n"
      "  seqpoint scan train.en --tgt train.de --batch-size 64 --sampler sorted --summary\n"
      "  zcat train.csv.gz | seqpoint scan - --length-field num_frames --batch-size 16 --rows",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
