#include "core/trace/trace.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/rounding.hpp"
#include "core/trace/signature_order.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::trace {
namespace {

std::uint32_t round_up(std::uint32_t length, std::uint32_t multiple) {
  const std::uint64_t up = rounded_up(length, multiple);
  if (up > 0xFFFFFFFFU) throw ParameterError("pad_multiple", "takes a length beyond 4294967295");
  return static_cast<std::uint32_t>(up);
}

/// If the tokens fit into 32 bits, the sum of squares fits into 64: it is at most the square of the tokens.
Signature unpadded_signature(const batching::BatchShape& shape) {
  if (shape.tokens > 0xFFFFFFFFU)
    throw ParameterError("layout",
                         "varlen: a batch of " + std::to_string(shape.tokens) + " tokens is beyond 4294967295",
                         "smaller batches");
  return {.tokens = static_cast<std::uint32_t>(shape.tokens), .sq_tokens = shape.sq_tokens};
}

/// Compares the work of two ranks; ties are broken by further dimensions so that a run does not depend on the numbering
/// of ranks.
auto work_of(const Signature& signature, const Signature& padded) {
  return std::tuple(signature.padded_tokens(), signature.sq_tokens, padded.src_len);
}

void add_rank(IterationRow& row, std::vector<Signature>& signatures, const batching::BatchShape& shape,
              const SignatureRule& rule) {
  const Signature padded{.src_len = round_up(shape.src_len, rule.pad_multiple),
                         .tgt_len = round_up(shape.tgt_len, rule.pad_multiple),
                         .batch_size = shape.sequences};
  const Signature signature = rule.layout == BatchLayout::varlen ? unpadded_signature(shape) : padded;
  if (signatures.empty() || work_of(signature, padded) > work_of(row.signature, row.padded_signature)) {
    row.signature = signature;
    row.padded_signature = padded;
    row.heaviest_rank = signatures.size();
  }
  signatures.push_back(signature);
  row.samples += shape.sequences;
  row.tokens += shape.tokens;
  row.padded_tokens += signature.padded_tokens();
}

}  // namespace

bool is_time_metric(std::string_view name) { return name.ends_with("_s") && !name.ends_with("_per_s"); }

void require_valid(const SignatureRule& rule) {
  if (rule.pad_multiple == 0) throw ParameterError("pad_multiple", "must be 1 or more");
  if (rule.layout == BatchLayout::varlen && rule.pad_multiple > 1)
    throw ParameterError("pad_multiple", "has no use with `layout` varlen: nothing is padded", "leave one of them out");
}

std::size_t Trace::row_of(std::uint64_t number) const {
  if (iteration.empty()) return static_cast<std::size_t>(number);
  return static_cast<std::size_t>(std::lower_bound(iteration.begin(), iteration.end(), number) - iteration.begin());
}

const Statistic* Trace::find_statistic(std::string_view name) const {
  for (const Statistic& statistic : statistics)
    if (statistic.name == name) return &statistic;
  return nullptr;
}

const Statistic* Trace::time_statistic() const {
  const Statistic* found = find_statistic("runtime_s");
  for (const Statistic& statistic : statistics)
    if (found == nullptr && is_time_metric(statistic.name)) found = &statistic;
  return found;
}

IterationRow iteration_of(const batching::MicroBatch& micro_batch, const lengths::Lengths& lengths,
                          const SignatureRule& rule, std::vector<Signature>& rank_signatures) {
  IterationRow row;
  rank_signatures.clear();
  for (std::size_t r = 0; r < micro_batch.ranks(); ++r) {
    const batching::BatchShape shape =
        micro_batch.shapes.empty() ? batching::shape_of(micro_batch.rows_of_rank(r), lengths) : micro_batch.shapes[r];
    add_rank(row, rank_signatures, shape, rule);
  }
  row.rank_signatures = rank_signatures;
  return row;
}

void for_each_iteration(const lengths::Lengths& lengths, const batching::BatchPolicy& policy, const SignatureRule& rule,
                        const IterationSink& sink) {
  require_valid(rule);
  std::uint64_t iteration = 0;
  std::vector<Signature> signatures;
  batching::OptimiserStepCounter optimiser_steps(policy.grad_accumulation);
  batching::for_each_micro_batch(lengths, policy, [&](const batching::MicroBatch& micro_batch) {
    IterationRow row = iteration_of(micro_batch, lengths, rule, signatures);
    row.iteration = iteration++;
    row.epoch = micro_batch.epoch;
    row.optimiser_step = optimiser_steps.next(micro_batch.epoch);
    sink(row, micro_batch);
  });
}

Trace trace_of(const lengths::Lengths& lengths, const batching::BatchPolicy& policy, const SignatureRule& rule) {
  Trace trace;
  trace.ranks = policy.world_size;
  trace.kind = kind_of(rule.layout, lengths.paired());
  for_each_iteration(lengths, policy, rule, [&](const IterationRow& row, const batching::MicroBatch&) {
    trace.signatures.push_back(row.signature);
    trace.tokens.push_back(row.tokens);
    if (policy.world_size > 1 || trace.kind == SignatureKind::varlen) trace.samples.push_back(row.samples);
    if (policy.world_size > 1) {
      trace.padded_tokens.push_back(row.padded_tokens);
      trace.mean_padded_tokens.push_back(row.mean_padded_tokens());
    }
    if (policy.epochs > 1) trace.epoch.push_back(row.epoch);
    if (policy.grad_accumulation > 1) trace.optimiser_step.push_back(row.optimiser_step);
  });
  return trace;
}

std::optional<double> waiting_share(const Trace& trace) {
  if (trace.mean_padded_tokens.empty()) return std::nullopt;
  double mean = 0, heaviest = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    mean += trace.mean_padded_tokens[i];
    heaviest += static_cast<double>(trace.signatures[i].padded_tokens());
  }
  return heaviest > 0 ? 1 - mean / heaviest : 0;
}

void require_valid(const Trace& trace) {
  const auto require = [&](const std::string& column, std::size_t size, bool may_be_empty) {
    if (size != trace.size() && !(may_be_empty && size == 0))
      throw std::invalid_argument("Trace: " + column + " has " + std::to_string(size) + " values, and there are " +
                                  std::to_string(trace.size()) + " iterations");
  };
  require("samples", trace.samples.size(), true);
  for (const auto& [name, column] :
       {std::pair("tokens", &trace.tokens), std::pair("padded_tokens", &trace.padded_tokens),
        std::pair("iteration", &trace.iteration), std::pair("epoch", &trace.epoch),
        std::pair("optimiser_step", &trace.optimiser_step)})
    require(name, column->size(), true);
  require("mean_padded_tokens", trace.mean_padded_tokens.size(), true);
  for (const Statistic& statistic : trace.statistics)
    require("'" + statistic.name + "'", statistic.values.size(), false);
  for (const Signature& signature : trace.signatures)
    if (PartialSignature::of(trace.kind, signature).whole(trace.kind) != signature)
      throw std::invalid_argument("Trace: a signature has a dimension that its kind does not have");
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
  for (const auto& [signature, count] : histogram) tokens_of_rank += count * signature.padded_tokens();
  return tokens_of_rank;
}

RunSummary summarise(const Trace& trace) {
  require_valid(trace);
  RunSummary run;
  run.iterations = trace.size();
  run.kind = trace.kind;
  run.ranks = trace.ranks;
  run.waiting = waiting_share(trace);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!trace.samples.empty() || trace.kind != SignatureKind::varlen) run.samples += trace.samples_at(i);
    run.padded_tokens += trace.padded_tokens_at(i);
    if (i > 0 && !trace.epoch.empty() && trace.epoch[i] != trace.epoch[i - 1]) ++run.epochs;
  }
  if (!trace.tokens.empty()) {
    run.tokens = 0;
    for (const std::uint64_t tokens : trace.tokens) *run.tokens += tokens;
  }
  for (const std::size_t i : positions_by_signature(trace)) {
    const Signature& signature = trace.signatures[i];
    if (run.histogram.empty() || run.histogram.back().signature != signature) run.histogram.push_back({signature, 0});
    ++run.histogram.back().count;
  }
  return run;
}

}  // namespace seqpoint::trace
