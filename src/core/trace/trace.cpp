#include "core/trace/trace.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/numbers.hpp"
#include "core/trace/shapes.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::trace {
namespace {

/// The next multiple. Throws ParameterError above 2^32 - 1.
std::uint32_t round_up(std::uint32_t length, std::uint32_t multiple) {
  const std::uint64_t up = rounded_up(length, multiple);
  if (up > 0xFFFFFFFFU) throw ParameterError("pad_multiple", "takes a length beyond 4294967295");
  return static_cast<std::uint32_t>(up);
}

/// The shape of a batch without padding between its sequences; its tokens are rounded up to a multiple. Throws
/// ParameterError for more than 2^32 - 1 tokens. If the tokens fit into 32 bits, the sum of squares fits into 64: it is
/// at most the square of the tokens.
Shape packed_shape(const batching::BatchShape& batch, std::uint32_t multiple) {
  if (batch.tokens > 0xFFFFFFFFU)
    throw ParameterError("signature",
                         "varlen: a batch of " + std::to_string(batch.tokens) + " tokens is beyond 4294967295",
                         "smaller batches");
  return {.tokens = round_up(static_cast<std::uint32_t>(batch.tokens), multiple), .sq_tokens = batch.sq_tokens};
}

/// The key by which the work of ranks is compared: padded tokens (without padding: tokens), sum of squares, then the
/// padded source length, so that a run does not depend on the numbering of ranks. `padded`: the batch with padding.
auto work_of(const Shape& shape, const Shape& padded) {
  return std::tuple(shape.padded_tokens(), shape.sq_tokens, padded.src_len);
}

/// Adds the batch of the next rank to an iteration and its shape to `shapes`. On a tie of work_of(), the first rank
/// stays the heaviest.
void add_rank(IterationRow& row, std::vector<Shape>& shapes, const batching::BatchShape& batch, const ShapeRule& rule) {
  const bool packed = rule.signature == BatchLayout::varlen;
  const std::uint32_t multiple = packed ? 1 : rule.pad_multiple;
  const Shape padded{.src_len = round_up(batch.src_len, multiple),
                     .tgt_len = round_up(batch.tgt_len, multiple),
                     .batch_size = batch.sequences};
  const Shape shape = packed ? packed_shape(batch, rule.pad_multiple) : padded;
  if (shapes.empty() || work_of(shape, padded) > work_of(row.shape, row.padded_shape)) {
    row.shape = shape;
    row.padded_shape = padded;
    row.heaviest_rank = shapes.size();
  }
  shapes.push_back(shape);
  row.samples += batch.sequences;
  row.tokens += batch.tokens;
  row.padded_tokens += shape.padded_tokens();
}

/// Converts a micro-batch to an iteration of a run; leaves its iteration, epoch and optimiser step at 0. `rank_shapes`
/// is overwritten with the shape of each rank, and has to outlive the row. Throws ParameterError if a padded length, or
/// the tokens of a batch without padding, exceed 2^32 - 1.
IterationRow iteration_of(const batching::MicroBatch& micro_batch, const lengths::Lengths& lengths,
                          const ShapeRule& rule, std::vector<Shape>& rank_shapes) {
  IterationRow row;
  rank_shapes.clear();
  for (std::size_t r = 0; r < micro_batch.ranks(); ++r) {
    const batching::BatchShape shape =
        micro_batch.shapes.empty() ? batching::shape_of(micro_batch.rows_of_rank(r), lengths) : micro_batch.shapes[r];
    add_rank(row, rank_shapes, shape, rule);
  }
  row.rank_shapes = rank_shapes;
  return row;
}

}  // namespace

bool is_time_metric(std::string_view name) { return name.ends_with("_s") && !name.ends_with("_per_s"); }

std::optional<std::size_t> main_time(std::span<const std::string> names) {
  auto found = std::ranges::find(names, "runtime_s");
  if (found == names.end()) found = std::ranges::find_if(names, is_time_metric);
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

void require_valid(const ShapeRule& rule) {
  if (rule.pad_multiple == 0) throw ParameterError("pad_multiple", "must be 1 or more");
}

std::size_t Trace::row_of(std::uint64_t number) const {
  if (iteration.empty()) return static_cast<std::size_t>(number);
  return static_cast<std::size_t>(std::lower_bound(iteration.begin(), iteration.end(), number) - iteration.begin());
}

const Metric* Trace::find_metric(std::string_view name) const {
  for (const Metric& metric : metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

const Metric* Trace::time_metric() const {
  std::vector<std::string> names;
  for (const Metric& metric : metrics) names.push_back(metric.name);
  const std::optional<std::size_t> time = main_time(names);
  return time ? &metrics[*time] : nullptr;
}

void pad_up(Trace& trace, std::uint32_t multiple) {
  if (multiple == 1) return;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    Shape& shape = trace.shapes[i];
    if (trace.ranks > 1 || trace.padded_tokens_at(i) != shape.padded_tokens())
      throw ParameterError("pad_multiple", "needs the batches of every rank, and a trace has those of one",
                           "the data set instead of its trace");
    shape.src_len = round_up(shape.src_len, multiple);
    shape.tgt_len = round_up(shape.tgt_len, multiple);
    shape.tokens = round_up(shape.tokens, multiple);
    if (!trace.padded_tokens.empty()) trace.padded_tokens[i] = shape.padded_tokens();
  }
}

void for_each_iteration(const lengths::Lengths& lengths, const batching::BatchPolicy& policy, const ShapeRule& rule,
                        const IterationSink& sink) {
  require_valid(rule);
  std::uint64_t iteration = 0;
  std::vector<Shape> shapes;
  batching::OptimiserStepCounter optimiser_steps(policy.grad_accumulation);
  batching::for_each_micro_batch(lengths, policy, [&](const batching::MicroBatch& micro_batch) {
    IterationRow row = iteration_of(micro_batch, lengths, rule, shapes);
    row.iteration = iteration++;
    row.epoch = micro_batch.epoch;
    row.optimiser_step = optimiser_steps.next(micro_batch.epoch);
    sink(row, micro_batch);
  });
}

Trace trace_of(const lengths::Lengths& lengths, const batching::BatchPolicy& policy, const ShapeRule& rule) {
  Trace trace;
  trace.ranks = policy.world_size;
  trace.kind = kind_of(rule.signature, lengths.paired());
  RankShapeCounter shapes;
  for_each_iteration(lengths, policy, rule, [&](const IterationRow& row, const batching::MicroBatch&) {
    trace.shapes.push_back(row.shape);
    trace.tokens.push_back(row.tokens);
    if (policy.world_size > 1 || trace.kind == ShapeKind::varlen) trace.samples.push_back(row.samples);
    if (policy.world_size > 1) {
      trace.padded_tokens.push_back(row.padded_tokens);
      trace.mean_padded_tokens.push_back(row.mean_padded_tokens());
      shapes.add(row.iteration, row.rank_shapes);
    }
    if (policy.epochs > 1) trace.epoch.push_back(row.epoch);
    if (policy.grad_accumulation > 1) trace.optimiser_step.push_back(row.optimiser_step);
  });
  if (policy.world_size > 1) trace.rank_shapes = std::move(shapes).finish();
  return trace;
}

std::optional<double> waiting_share(const Trace& trace) {
  if (trace.mean_padded_tokens.empty()) return std::nullopt;
  double mean = 0, heaviest = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    mean += trace.mean_padded_tokens[i];
    heaviest += static_cast<double>(trace.shapes[i].padded_tokens());
  }
  return heaviest > 0 ? 1 - mean / heaviest : 0;
}

std::uint64_t longest_optimiser_step(const Trace& trace) {
  std::uint64_t most = 1, length = 1;
  for (std::size_t i = 1; i < trace.optimiser_step.size(); ++i) {
    const bool begins = !trace.epoch.empty() && trace.epoch[i] != trace.epoch[i - 1];
    length = !begins && trace.optimiser_step[i] == trace.optimiser_step[i - 1] ? length + 1 : 1;
    most = std::max(most, length);
  }
  return most;
}

std::uint64_t RunSummary::padded_tokens_of_rank() const {
  std::uint64_t tokens_of_rank = 0;
  for (const auto& [shape, count] : histogram) tokens_of_rank += count * shape.padded_tokens();
  return tokens_of_rank;
}

std::uint64_t RunSummary::iterations_with_new_shapes() const {
  if (rank_shapes) return rank_shapes->iterations_with_new;
  std::uint64_t distinct = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i)  // ascending: equal sizes are neighbours
    distinct += i == 0 || sizes_of(histogram[i].shape) != sizes_of(histogram[i - 1].shape) ? 1 : 0;
  return distinct;
}

namespace {

__extension__ using Product = unsigned __int128;

/// Makes the summary of a random part that of a run of so many iterations: counts stay whole, and add up. In integers:
/// a long double has another width on another platform.
void scale_up(RunSummary& run, std::uint64_t iterations) {
  const auto scaled = [&, part = run.iterations](std::uint64_t amount) {
    return static_cast<std::uint64_t>((Product{amount} * iterations + part / 2) / part);
  };
  std::uint64_t before = 0;
  for (ShapeCount& entry : run.histogram) {
    const std::uint64_t after = before + entry.count;
    entry.count = scaled(after) - scaled(before);
    before = after;
  }
  run.samples = scaled(run.samples);
  run.padded_tokens = scaled(run.padded_tokens);
  if (run.tokens) run.tokens = scaled(*run.tokens);
  run.loaded = run.iterations;
  run.iterations = iterations;
}

}  // namespace

RunSummary summarise(const Trace& trace) {
  RunSummary run;
  run.iterations = trace.size();
  run.kind = trace.kind;
  run.ranks = trace.ranks;
  run.waiting = waiting_share(trace);
  if (trace.rank_shapes) run.rank_shapes = counts_of(*trace.rank_shapes);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!trace.samples.empty() || trace.kind != ShapeKind::varlen) run.samples += trace.samples_at(i);
    run.padded_tokens += trace.padded_tokens_at(i);
    if (i > 0 && !trace.epoch.empty() && trace.epoch[i] != trace.epoch[i - 1]) ++run.epochs;
  }
  if (!trace.tokens.empty()) {
    run.tokens = 0;
    for (const std::uint64_t tokens : trace.tokens) *run.tokens += tokens;
  }
  for (const std::size_t i : positions_by_shape(trace)) {
    const Shape& shape = trace.shapes[i];
    if (run.histogram.empty() || run.histogram.back().shape != shape) run.histogram.push_back({shape, 0});
    ++run.histogram.back().count;
  }
  if (trace.of_batches > trace.size()) scale_up(run, trace.of_batches);
  return run;
}

}  // namespace seqpoint::trace
