#include "../command.hpp"
#include "../dataset_options.hpp"
#include "../shared_options.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli {
namespace {

struct ScanOptions {
  DatasetOptions dataset;
  std::string output = "-";
  bool rows = false;
  bool lengths_only = false;
};

TraceWriter::Columns columns_of(const ScanOptions& o, const Lengths& lengths) {
  const BatchPolicy& policy = o.dataset.batching;
  return {lengths.paired(), policy.epochs > 1, policy.grad_accumulation > 1, policy.world_size > 1, o.rows,
          o.dataset.signature.kind == SignatureKind::varlen};
}

void write_run(const ScanOptions& o, const Lengths& lengths, const ByteSink& sink, Console& console) {
  std::optional<TraceWriter> writer;  // after the sampler has accepted its options
  std::uint64_t iterations = 0;
  for_each_iteration(lengths, o.dataset.batching, o.dataset.signature, [&](const IterationRow& row, const Step& step) {
    if (!writer) writer.emplace(columns_of(o, lengths), sink);
    writer->add(row, step);
    ++iterations;
  });
  if (iterations == 0)
    refuse_empty_run(o.dataset.batching);
  tell_assumptions(o.dataset.batching, console);
  console.note(counted(lengths.size(), "sample") + (lengths.size() == 1 ? " makes " : " make ") + counted(iterations, "iteration"));
}

Exit run_scan(const ScanOptions& o, Console& console) {
  if (o.rows && o.lengths_only) throw UsageError("--rows and --lengths-only exclude each other");
  require_valid(o.dataset, {o.output}, !o.lengths_only);
  Output out(o.output);
  const Dataset dataset = load_dataset(o.dataset, console);
  refuse_to_overwrite_read(o.dataset, dataset.inputs, std::vector{o.output});
  const ByteSink sink = [&](std::string_view bytes) { out.write(bytes); };
  if (o.lengths_only)
    write_lengths(dataset.lengths, sink);
  else
    write_run(o, dataset.lengths, sink, console);
  out.commit();
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
  command.footer("Examples:\n"
                 "  seqpoint scan train.jsonl --sampler pytorch --batch-size 32 --seed 1 > run.csv\n"
                 "  seqpoint scan train.en --tgt train.de --batch-size 64 --sampler sorted\n"
                 "  zcat train.csv.gz | seqpoint scan - --length-field num_frames --batch-size 16 --rows");
  command.callback([o, &chosen] { chosen = [o](Console& console) { return run_scan(*o, console); }; });
}

}  // namespace seqpoint::cli
