#include <unistd.h>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/progress.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/summary.hpp"

namespace seqpoint::cli {
namespace {

struct ScanOptions {
  DatasetOptions dataset;
  std::string output;  ///< empty: not said
  bool rows = false;
  bool lengths_only = false;
  bool summary = false;
};

/// Rows that go to the terminal as they are made show themselves how far the work is.
Work batching(const Lengths& lengths, const BatchPolicy& policy) {
  return {"batching", "samples", lengths.size() * std::max<std::uint64_t>(policy.epochs, 1)};
}
bool shows_rows(const std::string& output) { return output == "-" && ::isatty(STDOUT_FILENO) != 0; }

TraceWriter::Columns columns_of(const ScanOptions& o, const Lengths& lengths) {
  const BatchPolicy& policy = o.dataset.batching;
  return {lengths.paired(), policy.epochs > 1, policy.grad_accumulation > 1, policy.world_size > 1, o.rows,
          o.dataset.signature.kind == SignatureKind::varlen};
}

void write_run(const ScanOptions& o, const std::string& output, const Lengths& lengths, const ByteSink& sink, Console& console) {
  std::optional<TraceWriter> writer;  // after the sampler has accepted its options
  std::uint64_t iterations = 0;
  std::optional<ProgressLine> progress;
  if (!shows_rows(output)) progress.emplace(console, batching(lengths, o.dataset.batching));
  for_each_iteration(lengths, o.dataset.batching, o.dataset.signature, [&](const IterationRow& row, const Step& step) {
    if (!writer) writer.emplace(columns_of(o, lengths), sink);
    writer->add(row, step);
    ++iterations;
    if (progress) progress->advance(row.samples);
  });
  if (iterations == 0)
    refuse_empty_run(o.dataset.batching);
  tell_assumptions(o.dataset.batching, console);
  console.note(counted(lengths.size(), "sample") + (lengths.size() == 1 ? " makes " : " make ") + counted(iterations, "iteration"));
}

void write_summary(const ScanOptions& o, const Lengths& lengths, Console& console) {
  const Trace trace = during(console, "batching", [&] { return trace_of(lengths, o.dataset.batching, o.dataset.signature); });
  if (trace.size() == 0) refuse_empty_run(o.dataset.batching);
  if (o.output.empty()) tell_assumptions(o.dataset.batching, console);
  const RunSummary run = during(console, "counting", [&] { return summarise(trace); });
  Output out("-");
  out.write(summary_text(run, console.shows_blocks(STDOUT_FILENO) ? Bars::blocks : Bars::plain));
  out.commit();
}

void require_compatible(const ScanOptions& o) {
  if (o.rows && o.lengths_only) throw UsageError("--rows and --lengths-only exclude each other");
  if (!o.summary) return;
  if (o.lengths_only) throw UsageError("--summary and --lengths-only exclude each other", "--summary is about iterations");
  if (o.output == "-") throw UsageError("the trace and --summary cannot both go to standard output", "-o FILE, or --summary alone");
  if (o.rows && o.output.empty()) throw UsageError("--rows has no use with --summary alone", "add -o FILE");
}

Exit run_scan(const ScanOptions& o, Console& console) {
  require_compatible(o);
  const std::string output = o.output.empty() ? "-" : o.output;
  require_valid(o.dataset, {output}, !o.lengths_only);
  Output out(output);
  const Dataset dataset = load_dataset(o.dataset, console);
  refuse_to_overwrite_read(o.dataset, dataset.inputs, std::vector{output});
  const ByteSink sink = [&](std::string_view bytes) { out.write(bytes); };
  if (o.lengths_only)
    write_lengths(dataset.lengths, sink);
  else if (!o.summary || !o.output.empty())
    write_run(o, output, dataset.lengths, sink, console);
  out.commit();
  if (o.summary) write_summary(o, dataset.lengths, console);
  return kDone;
}

}  // namespace

void add_scan(CLI::App& command, Action& chosen) {
  auto o = std::make_shared<ScanOptions>();
  add_dataset_options(command, o->dataset);
  command.add_option("-o,--output", o->output, "write the trace there, whole or not at all; - is standard output")
      ->type_name("FILE")->group(kOutputGroup);
  command.add_flag("--rows", o->rows, "add a column with the dataset rows of each batch (ranks apart by |)");
  command.add_flag("--lengths-only", o->lengths_only, "write the length of every sample instead of iterations");
  command.add_flag("--summary", o->summary, "show the run at a glance instead of its iterations; with -o beside them");
  command.footer("Examples:\n"
                 "  seqpoint scan train.jsonl --sampler pytorch --batch-size 32 --seed 1 > run.csv\n"
                 "  seqpoint scan train.en --tgt train.de --batch-size 64 --sampler sorted --summary\n"
                 "  zcat train.csv.gz | seqpoint scan - --length-field num_frames --batch-size 16 --rows");
  command.callback([o, &chosen] { chosen = [o](Console& console) { return run_scan(*o, console); }; });
}

}  // namespace seqpoint::cli
