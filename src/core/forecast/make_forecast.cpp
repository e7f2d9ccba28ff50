#include "core/forecast/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/trace/trace.hpp"

namespace seqpoint::forecast {
namespace {

using trace::Dimension;

/// Marks the samples that have been in a batch of the epoch, and counts in `use`.
class SeenSamples {
 public:
  SeenSamples(const lengths::Lengths& lengths, DatasetUse& use)
      : lengths_(lengths), use_(use), seen_(lengths.size(), false) {}

  /// Marks the samples of a micro-batch; `tokens`: its unpadded tokens. Counts a sample that is marked already as
  /// repeated.
  void add(std::uint64_t tokens, const batching::MicroBatch& micro_batch) {
    tokens_of_batches_ += tokens;
    for (const std::uint32_t sample : micro_batch.rows) {
      if (seen_[sample]) ++use_.repeated;
      seen_[sample] = true;
    }
  }
  /// Resets all of `use` and the marks, and begins another epoch: the epoch ended before the run was resumed.
  void forget() {
    use_ = {};
    begin_epoch();
  }
  /// Adds the data set, the samples that the epoch left out, and the difference between the tokens of the marked
  /// samples and of the batches, as cut or as repeated. Begins another epoch.
  void end_epoch() {
    std::uint64_t tokens_seen = 0;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const std::uint64_t tokens = tokens_at(i);
      use_.tokens += tokens;
      if (!seen_[i]) ++use_.left_out;
      (seen_[i] ? tokens_seen : use_.tokens_left_out) += tokens;
    }
    use_.samples += seen_.size();
    if (tokens_seen > tokens_of_batches_) use_.tokens_cut += tokens_seen - tokens_of_batches_;
    if (tokens_seen < tokens_of_batches_) use_.tokens_repeated += tokens_of_batches_ - tokens_seen;
    begin_epoch();
  }

 private:
  void begin_epoch() {
    tokens_of_batches_ = 0;
    std::fill(seen_.begin(), seen_.end(), false);
  }
  /// Unpadded tokens of a sample, both sides.
  std::uint64_t tokens_at(std::size_t i) const {
    return std::uint64_t{lengths_.src[i]} + (lengths_.paired() ? lengths_.tgt[i] : 0);
  }

  const lengths::Lengths& lengths_;
  DatasetUse& use_;
  std::vector<bool> seen_;
  std::uint64_t tokens_of_batches_ = 0;
};

double squared(double length) { return length * length; }

/// Sum of the squared padded lengths of a batch, both sides; without padding: of the unpadded lengths.
double padded_squares(const trace::Shape& s) {
  return static_cast<double>(s.sq_tokens) + s.batch_size * (squared(s.src_len) + squared(s.tgt_len));
}

/// Sum of the squared unpadded lengths over all ranks: from the shapes of the micro-batch if it has any, else from its
/// rows.
double squares_of_samples(const lengths::Lengths& lengths, const batching::MicroBatch& micro_batch) {
  double sum = 0;
  for (std::size_t r = 0; r < micro_batch.ranks(); ++r)
    sum += static_cast<double>(micro_batch.shapes.empty()
                                   ? batching::shape_of(micro_batch.rows_of_rank(r), lengths).sq_tokens
                                   : micro_batch.shapes[r].sq_tokens);
  return sum;
}

/// Whether the iteration at position i is the first of an epoch; without epochs, of the run.
bool begins_epoch(const trace::Trace& trace, std::size_t i) {
  return i == 0 || (!trace.epoch.empty() && trace.epoch[i] != trace.epoch[i - 1]);
}

/// Iterations and optimiser steps of each epoch. Every epoch begins a step; if steps are not known, every iteration is
/// one.
std::vector<EpochSteps> epochs_of(const trace::Trace& trace) {
  std::vector<EpochSteps> epochs;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const bool first = begins_epoch(trace, i);
    if (first) epochs.emplace_back();
    EpochSteps& epoch = epochs.back();
    const bool new_step =
        first || trace.optimiser_step.empty() || trace.optimiser_step[i] != trace.optimiser_step[i - 1];
    ++epoch.iterations;
    if (new_step) ++epoch.optimiser_steps;
    epoch.last_step = new_step ? 1 : epoch.last_step + 1;
  }
  return epochs;
}

/// The first iteration of each shape, by the run's own numbers, in the order of the histogram, which equals the order
/// of positions_by_shape().
std::vector<std::uint64_t> first_seen(const trace::Trace& trace) {
  std::vector<std::uint64_t> first;
  const std::vector<std::size_t> order = trace::positions_by_shape(trace);
  for (std::size_t o = 0; o < order.size(); ++o)
    if (o == 0 || trace.shapes[order[o]] != trace.shapes[order[o - 1]])
      first.push_back(trace.iteration_number(order[o]));
  return first;
}

/// The maximum of a measure, and the iterations that exceeded all earlier ones; the first iteration always counts.
template <class Measure>
Maximum maximum_of(std::string_view name, const trace::Trace& trace, Measure measure) {
  Maximum maximum{std::string(name), 0, {}};
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::uint64_t value = measure(trace.shapes[i]);
    if (i > 0 && value <= maximum.most) continue;
    maximum.most = value;
    maximum.records.push_back(trace.iteration_number(i));
  }
  return maximum;
}

/// The maximum of the padded tokens, unless nothing is padded, then of each dimension.
std::vector<Maximum> maxima_of(const trace::Trace& trace) {
  std::vector<Maximum> maxima;
  if (trace.kind != trace::ShapeKind::varlen)
    maxima.push_back(maximum_of("padded_tokens", trace, [](const trace::Shape& s) { return s.padded_tokens(); }));
  for (const Dimension dimension : trace::dimensions_of(trace.kind))
    maxima.push_back(maximum_of(trace::name_of(dimension), trace, [&](const trace::Shape& s) { return s[dimension]; }));
  return maxima;
}

/// Whether the shapes cover all ranks: with several ranks a trace has the shape of one. If `ranks` is 1, also compares
/// the samples (without padding: the sum of tokens) of the shapes with those of the iterations.
bool is_of_one_rank(const trace::Trace& trace, const trace::RunSummary& run) {
  if (trace.ranks > 1) return false;
  if (trace.kind != trace::ShapeKind::varlen)
    return trace.samples.empty() || std::ranges::equal(trace.samples, trace.shapes, {}, {}, &trace::Shape::batch_size);
  std::uint64_t tokens = 0;
  for (const trace::Shape& shape : trace.shapes) tokens += shape.tokens;
  return tokens == run.padded_tokens;
}

/// The shapes of a single rank.
trace::RankShapes shapes_of_one_rank(const trace::Trace& trace) {
  trace::RankShapeCounter counter;
  for (std::size_t i = 0; i < trace.size(); ++i) counter.add(trace.iteration_number(i), std::span(&trace.shapes[i], 1));
  return std::move(counter).finish();
}

/// Sum of the squared padded lengths of all iterations of a run, by its shapes.
double padded_squares(const trace::RunSummary& run) {
  double sum = 0;
  for (const auto& [shape, count] : run.histogram) sum += static_cast<double>(count) * padded_squares(shape);
  return sum;
}

/// Nothing if the run has no waiting share. If no rank waits, the iteration is the first one.
std::optional<Waiting> waiting_of(const trace::Trace& trace, const trace::RunSummary& run) {
  if (!run.waiting) return {};
  Waiting waiting{*run.waiting, 0, trace.iteration_number(0)};
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const double heaviest = static_cast<double>(trace.shapes[i].padded_tokens());
    const double share = heaviest > 0 ? 1 - trace.mean_padded_tokens[i] / heaviest : 0;
    if (share > waiting.most) waiting = {waiting.share, share, trace.iteration_number(i)};
  }
  return waiting;
}

}  // namespace

DatasetUse use_of(const lengths::Lengths& lengths, const batching::BatchPolicy& policy, const trace::ShapeRule& rule) {
  DatasetUse use;
  SeenSamples seen(lengths, use);
  std::uint64_t epoch = policy.epoch;
  batching::BatchPolicy whole = policy;
  whole.resume_at = 0;
  bool resumed = policy.resume_at == 0;
  const auto end_epoch = [&] { return resumed ? seen.end_epoch() : seen.forget(); };
  trace::for_each_iteration(lengths, whole, rule,
                            [&](const trace::IterationRow& row, const batching::MicroBatch& micro_batch) {
                              for (; epoch != row.epoch; ++epoch) end_epoch();
                              seen.add(row.tokens, micro_batch);
                              if (row.optimiser_step < policy.resume_at) return;
                              resumed = true;
                              use.sq_tokens += squares_of_samples(lengths, micro_batch);
                              for (const trace::Shape& s : row.rank_shapes) use.padded_sq_tokens += padded_squares(s);
                            });
  for (; epoch != policy.epoch + policy.epochs; ++epoch) seen.end_epoch();
  return use;
}

Forecast forecast(const trace::Trace& trace, const std::optional<DatasetUse>& use) {
  Forecast forecast;
  forecast.run = trace::summarise(trace);
  forecast.first_seen = first_seen(trace);
  forecast.epochs = epochs_of(trace);
  forecast.accumulation = trace::longest_optimiser_step(trace);
  forecast.maxima = maxima_of(trace);
  forecast.waiting = waiting_of(trace, forecast.run);
  forecast.use = use;
  const bool is_whole = is_of_one_rank(trace, forecast.run);
  forecast.shapes = is_whole ? shapes_of_one_rank(trace) : trace.rank_shapes;
  if (is_whole) forecast.padded_sq_tokens = padded_squares(forecast.run);
  if (is_whole && forecast.run.kind == trace::ShapeKind::varlen) forecast.sq_tokens = forecast.padded_sq_tokens;
  if (!use) return forecast;
  forecast.sq_tokens = use->sq_tokens;
  forecast.padded_sq_tokens = use->padded_sq_tokens;
  return forecast;
}

std::uint64_t seen_by(const Forecast& forecast, double share) {
  std::vector<std::uint64_t> first = forecast.shapes ? forecast.shapes->first_seen : forecast.first_seen;
  const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(first.size()) - 1e-9));
  const auto at = first.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(wanted, 1) - 1);
  std::nth_element(first.begin(), at, first.end());
  return *at;
}

}  // namespace seqpoint::forecast
