#include "core/trace/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "core/lengths/lengths.hpp"
#include "core/numbers.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::trace {
namespace {

constexpr std::array<std::string_view, kDimensions.size()> kNames{"src_len", "tgt_len", "batch_size", "tokens",
                                                                  "sq_tokens"};

/// Aliases of fields, in names of steps and in headers of tables.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAliases{
    {{"seqlen", "src_len"}, {"seq_len", "src_len"}, {"SL", "src_len"}, {"sl", "src_len"}, {"iter", "iteration"}}};

using enum Dimension;
constexpr std::array kOfPadded{src_len, batch_size};
constexpr std::array kOfPaddedPair{src_len, tgt_len, batch_size};
constexpr std::array kOfVarlen{tokens, sq_tokens};

/// In the order of ShapeKind.
constexpr std::array<KindProperties, 3> kKinds{{{BatchLayout::padded, "one length", kOfPadded},
                                                {BatchLayout::padded, "two lengths", kOfPaddedPair},
                                                {BatchLayout::varlen, "no padding", kOfVarlen}}};

}  // namespace

std::string_view name_of(Dimension dimension) { return kNames[static_cast<std::size_t>(dimension)]; }

std::optional<Dimension> dimension(std::string_view name) {
  for (const Dimension known : kDimensions)
    if (name_of(known) == name) return known;
  return std::nullopt;
}

std::string_view canonical_field(std::string_view field) {
  for (const auto& [alias, name] : kAliases)
    if (alias == field) return name;
  return field;
}

std::uint64_t largest_value(Dimension dimension) { return dimension == sq_tokens ? UINT64_MAX : UINT32_MAX; }

const KindProperties& properties_of(ShapeKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

ShapeKind kind_of(BatchLayout layout, bool paired) {
  if (layout == BatchLayout::varlen) return ShapeKind::varlen;
  return paired ? ShapeKind::padded_pair : ShapeKind::padded;
}

PartialShape PartialShape::of(ShapeKind kind, const Shape& shape) {
  PartialShape parts;
  for (const Dimension d : dimensions_of(kind)) parts[d] = shape[d];
  return parts;
}

std::optional<Shape> PartialShape::whole(ShapeKind kind) const {
  PartialShape own;
  for (const Dimension d : dimensions_of(kind)) {
    if (!(*this)[d]) return std::nullopt;
    own[d] = (*this)[d];
  }
  const auto length = [](const std::optional<std::uint64_t>& part) {
    return static_cast<std::uint32_t>(part.value_or(0));
  };
  return Shape{.src_len = length(own.src_len),
               .tgt_len = length(own.tgt_len),
               .batch_size = length(own.batch_size),
               .tokens = length(own.tokens),
               .sq_tokens = own.sq_tokens.value_or(0)};
}

bool PartialShape::may_be(const Shape& s) const {
  return std::ranges::all_of(kDimensions, [&](Dimension d) { return (*this)[d].value_or(s[d]) == s[d]; });
}

std::string text_of(const PartialShape& parts, std::string_view equals, std::string_view separator) {
  std::string text;
  for (const Dimension d : kDimensions) {
    if (!parts[d]) continue;
    if (!text.empty()) text += separator;
    text.append(name_of(d)).append(equals) += std::to_string(*parts[d]);
  }
  return text;
}

std::string text_of(ShapeKind kind, const Shape& shape, std::string_view equals, std::string_view separator) {
  return text_of(PartialShape::of(kind, shape), equals, separator);
}

// --- The iterations of a run, sorted by shape

namespace {

/// Bits `shift` to `shift` + 31 of that dimension of every shape.
std::vector<std::uint32_t> column_of(const Trace& run, Dimension dimension, unsigned shift) {
  std::vector<std::uint32_t> bits;
  bits.reserve(run.size());
  for (const Shape& s : run.shapes) bits.push_back(static_cast<std::uint32_t>(s[dimension] >> shift));
  return bits;
}

}  // namespace

std::vector<std::size_t> positions_by_shape(const Trace& run) {
  std::vector<std::vector<std::uint32_t>> columns;
  for (const Dimension d : dimensions_of(run.kind)) {
    if (largest_value(d) > UINT32_MAX) columns.push_back(column_of(run, d, 32));
    columns.push_back(column_of(run, d, 0));
  }
  return lengths::sorted_positions(columns);
}

std::vector<std::size_t> positions_by_length(const Trace& run) {
  const std::array columns{column_of(run, length_dimension(run.kind), 0)};
  return lengths::sorted_positions(columns);
}

// --- Distance between two shapes

double relative_distance(const Shape& a, const Shape& b) {
  double sum = 0;
  for (const Dimension d : kDimensions) {
    const std::uint64_t less = std::min(a[d], b[d]), more = std::max(a[d], b[d]);
    if (less < more) sum += static_cast<double>(more - less) / static_cast<double>(more);
  }
  return sum;
}

// --- The shapes that each rank of a run meets

Shape sizes_of(Shape shape) {
  shape.sq_tokens = 0;
  return shape;
}

void RankShapeCounter::add(std::uint64_t iteration, std::span<const Shape> ranks) {
  seen_.resize(ranks.size());
  shapes_.of_each.resize(ranks.size());
  bool any_new = false;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto [found, added] = numbers_.try_emplace(sizes_of(ranks[r]), numbers_.size());
    if (added) shapes_.first_seen.push_back(iteration);
    std::vector<bool>& seen = seen_[r];
    if (seen.size() < numbers_.size()) seen.resize(numbers_.size());
    if (seen[found->second]) continue;
    seen[found->second] = any_new = true;
    ++shapes_.of_each[r];
  }
  shapes_.iterations_with_new += any_new ? 1 : 0;
}

RankShapes RankShapeCounter::finish() && { return std::move(shapes_); }

RankShapeCounts counts_of(const RankShapes& shapes) {
  const auto [fewest, most] = std::ranges::minmax(shapes.of_each);
  return {.fewest = fewest,
          .most = most,
          .all = shapes.first_seen.size(),
          .iterations_with_new = shapes.iterations_with_new};
}

// --- The iterations of a run

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
    throw ParameterError("shape", "varlen: a batch of " + std::to_string(batch.tokens) + " tokens is beyond 4294967295",
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

/// Makes the summary of a part that of a run of so many iterations: counts stay whole, and add up. In integers:
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

/// Whether each of kFewestParts equal parts of the run has one of the trace's iterations, which ascend.
bool is_of_each_part(const Trace& trace) {
  std::size_t at = 0;
  for (std::uint64_t part = 0; part < kFewestParts; ++part) {
    const std::uint64_t end = trace.of_batches * (part + 1) / kFewestParts;
    const std::size_t before = at;
    while (at < trace.size() && trace.iteration_number(at) < end) ++at;
    if (at == before) return false;
  }
  return true;
}

/// RunSummary::loaded_variance. Neighbours in the trace differ by as much as iterations within a part of the run.
std::optional<double> loaded_variance_of(const Trace& trace) {
  if (!is_of_each_part(trace)) return std::nullopt;
  std::vector<double> tokens;
  for (std::size_t i = 0; i < trace.size(); ++i) tokens.push_back(static_cast<double>(trace.padded_tokens_at(i)));
  double differences = 0;
  for (std::size_t i = 1; i < tokens.size(); ++i) differences += std::pow(tokens[i] - tokens[i - 1], 2);
  const double within = differences / 2 / static_cast<double>(tokens.size() - 1);
  const double whole = std::pow(deviation_of(tokens), 2);
  return whole > 0 ? std::optional(std::min(within / whole, 1.0)) : std::nullopt;
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
  if (trace.of_batches > trace.size()) {
    run.loaded_variance = loaded_variance_of(trace);
    scale_up(run, trace.of_batches);
  }
  return run;
}

// --- A run cut into phases

namespace {

/// Elements [begin, end) of a column; an empty column stays empty.
template <class T>
std::vector<T> slice(const std::vector<T>& column, std::size_t begin, std::size_t end) {
  if (column.empty()) return {};
  return {column.begin() + static_cast<std::ptrdiff_t>(begin), column.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

std::vector<std::size_t> phase_begins(std::size_t iterations, std::uint64_t phases) {
  const std::uint64_t each = iterations / phases, rest = iterations % phases;
  std::vector<std::size_t> begins;
  for (std::uint64_t h = 0; h < phases; ++h) begins.push_back(h * each + h * rest / phases);
  return begins;
}

Trace iterations_between(const Trace& run, std::size_t begin, std::size_t end) {
  Trace part;
  part.ranks = run.ranks;
  if (begin == 0 && end == run.size()) part.of_batches = run.of_batches;
  part.kind = run.kind;
  part.shapes = slice(run.shapes, begin, end);
  part.samples = slice(run.samples, begin, end);
  part.tokens = slice(run.tokens, begin, end);
  part.padded_tokens = slice(run.padded_tokens, begin, end);
  part.mean_padded_tokens = slice(run.mean_padded_tokens, begin, end);
  part.epoch = slice(run.epoch, begin, end);
  part.optimiser_step = slice(run.optimiser_step, begin, end);
  for (std::size_t i = begin; i < end; ++i) part.iteration.push_back(run.iteration_number(i));
  for (const Metric& metric : run.metrics) part.metrics.push_back({metric.name, slice(metric.values, begin, end)});
  return part;
}

std::uint64_t phase_of(const RunSummary& run, std::uint64_t iteration) {
  const auto after = std::upper_bound(run.phases.begin(), run.phases.end(), iteration);
  return after == run.phases.begin() ? 0 : static_cast<std::uint64_t>(after - run.phases.begin()) - 1;
}

// --- Iterations whose measurements include other work: a validation, a checkpoint

namespace {

struct Mean {
  double sum = 0;
  std::size_t number = 0;
};

using Means = std::map<Shape, Mean>;

/// Sums of a metric by shape over iterations that are measured and not interrupted.
Means means_of(const Trace& trace, const Metric& metric, const std::vector<bool>& interrupted) {
  Means means;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (interrupted[i] || std::isnan(metric.values[i])) continue;
    Mean& mean = means[trace.shapes[i]];
    mean.sum += metric.values[i];
    ++mean.number;
  }
  return means;
}

/// The mean of the shape nearest to `shape` by relative_distance(); the smallest such shape on a tie. `means` is not
/// empty.
double nearest_mean(const Means& means, const Shape& shape) {
  const auto distance = [&](const auto& entry) { return relative_distance(entry.first, shape); };
  const Mean& mean = std::ranges::min_element(means, {}, distance)->second;
  return mean.sum / static_cast<double>(mean.number);
}

}  // namespace

void fill_interrupted(Trace& trace, const std::vector<bool>& interrupted) {
  for (Metric& metric : trace.metrics) {
    const Means means = means_of(trace, metric, interrupted);
    if (means.empty()) continue;
    for (std::size_t i = 0; i < trace.size(); ++i)
      if (interrupted[i]) metric.values[i] = nearest_mean(means, trace.shapes[i]);
  }
}

}  // namespace seqpoint::trace
