/// \file
/// The iterations of a run and their shapes (type Shape): the sizes that their batches were padded to.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/enum_names.hpp"
#include "core/lengths/lengths.hpp"

namespace seqpoint::trace {

// --- What decides an iteration's cost: the three kinds of shapes, and the names of their dimensions.

/// How the sequences of a batch are combined.
enum class BatchLayout {
  padded,  ///< every sequence padded to the longest
  varlen   ///< no padding: sequences packed end to end, attention of variable length
};

/// The names of layouts.
inline constexpr std::array<Word<BatchLayout>, 2> kBatchLayouts{
    {{"padded", BatchLayout::padded}, {"varlen", BatchLayout::varlen}}};

/// A part of a shape: a padded source or target length, the sequences of a batch, its unpadded tokens, the sum of its
/// squared unpadded lengths.
enum class Dimension : std::uint8_t { src_len, tgt_len, batch_size, tokens, sq_tokens };

/// All dimensions, in the order of comparisons of shapes and of output files.
inline constexpr std::array kDimensions{Dimension::src_len, Dimension::tgt_len, Dimension::batch_size,
                                        Dimension::tokens, Dimension::sq_tokens};

/// The one name of a dimension in output files, tables, messages and names of steps: `src_len`.
std::string_view name_of(Dimension);
/// The dimension of that name; nothing for any other word.
std::optional<Dimension> dimension(std::string_view name);
/// The largest value of a dimension: 2^32 - 1; of sq_tokens 2^64 - 1.
std::uint64_t largest_value(Dimension);
/// The canonical name of a field that has aliases: `src_len` for `seqlen`, `seq_len`, `SL` and `sl`, `iteration` for
/// `iter`; any other word unchanged. For columns of traces, profiles and maps, and for names of steps.
std::string_view canonical_field(std::string_view field);

/// Which dimensions the shapes of a run have. All shapes of one run have one kind.
enum class ShapeKind {
  padded,       ///< one length
  padded_pair,  ///< source and target lengths
  varlen        ///< without padding
};

/// A row of the table of kinds. Lives as long as the program.
struct KindProperties {
  BatchLayout layout;                     ///< whether batches of the kind are padded
  std::string_view lengths;               ///< what tells its lengths in a message: "one length"
  std::span<const Dimension> dimensions;  ///< in the order of kDimensions; the first is the length
};

/// The row of a kind.
const KindProperties& properties_of(ShapeKind);
/// The kind of a layout; `paired`: whether samples have a source and a target side, which varlen does not distinguish.
ShapeKind kind_of(BatchLayout, bool paired);

/// The dimensions of a kind, in the order of kDimensions; the first is the length.
inline std::span<const Dimension> dimensions_of(ShapeKind kind) { return properties_of(kind).dimensions; }
/// The dimension that methods use as the length, and the x axis of figures: src_len, or tokens without padding.
inline Dimension length_dimension(ShapeKind kind) { return dimensions_of(kind).front(); }

/// The shape of an iteration, which decides its cost: with padding the lengths and the batch size, without it tokens
/// and sq_tokens. Dimensions that its kind lacks are 0.
///
/// With several ranks it is the shape of the rank with the most work, because a synchronous step waits for the slowest:
/// the most padded tokens (without padding: tokens, then sq_tokens), then the longer source, then the first of the
/// ranks.
struct Shape {
  std::uint32_t src_len = 0,     ///< padded length of the source side, or the only one; tokens or frames
      tgt_len = 0;               ///< the same of the target side; 0 in a run of one length
  std::uint32_t batch_size = 0;  ///< sequences of a padded batch
  std::uint32_t tokens = 0;      ///< tokens of a batch without padding, both sides: linear layers grow with them
  /// Sum over a batch's sequences of the squared length, both sides: attention grows with it, because each sequence
  /// attends to itself.
  std::uint64_t sq_tokens = 0;

  /// The value of a dimension; 0 if the kind lacks it.
  std::uint64_t operator[](Dimension dimension) const {
    constexpr std::array kLengths{&Shape::src_len, &Shape::tgt_len, &Shape::batch_size, &Shape::tokens};
    const auto at = static_cast<std::size_t>(dimension);
    return at < kLengths.size() ? this->*kLengths[at] : sq_tokens;
  }
  /// The value of length_dimension(): src_len, or tokens; the other one is 0.
  std::uint32_t length() const { return src_len + tokens; }
  /// Tokens of the whole batch, both sides, with its padding; without padding: its tokens.
  std::uint64_t padded_tokens() const {
    return tokens + std::uint64_t{batch_size} * (std::uint64_t{src_len} + tgt_len);
  }
  /// Dimension by dimension, in the order of kDimensions.
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

/// The known parts of a shape, for example from a step's name.
struct PartialShape {
  std::optional<std::uint64_t> src_len{},  ///< Shape::src_len
      tgt_len{},                           ///< Shape::tgt_len
      batch_size{},                        ///< Shape::batch_size
      tokens{},                            ///< Shape::tokens
      sq_tokens{};                         ///< Shape::sq_tokens

  /// All parts of a shape of that kind.
  static PartialShape of(ShapeKind, const Shape&);
  /// The shape with the kind's dimensions, ignoring other parts; nothing if one of them is not known. Parts are at most
  /// largest_value().
  std::optional<Shape> whole(ShapeKind) const;
  /// Whether all known parts equal those of that shape; true if no part is known.
  bool may_be(const Shape&) const;
  /// The part of a dimension.
  std::optional<std::uint64_t>& operator[](Dimension d) { return this->*part(d); }
  /// The part of a dimension.
  const std::optional<std::uint64_t>& operator[](Dimension d) const { return this->*part(d); }
  /// Part by part, in the order of kDimensions; one that is not known comes first.
  friend auto operator<=>(const PartialShape&, const PartialShape&) = default;

 private:
  static std::optional<std::uint64_t> PartialShape::*part(Dimension dimension) {
    constexpr std::array kParts{&PartialShape::src_len, &PartialShape::tgt_len, &PartialShape::batch_size,
                                &PartialShape::tokens, &PartialShape::sq_tokens};
    return kParts[static_cast<std::size_t>(dimension)];
  }
};

/// Names and values of the known parts, in the order of kDimensions: "src_len 213, batch_size 64" with `equals` " " and
/// `separator` ", ". Empty if no part is known.
std::string text_of(const PartialShape&, std::string_view equals = " ", std::string_view separator = ", ");
/// The same for all parts of a shape of that kind.
std::string text_of(ShapeKind, const Shape&, std::string_view equals = " ", std::string_view separator = ", ");

// --- Stage 3: the iterations of a run, each with its shape and its measurements.

/// A metric that was measured for each iteration: a column of a trace.
struct Metric {
  std::string name;            ///< name, including its unit, as in `runtime_s`
  std::vector<double> values;  ///< one per iteration; NaN: not measured there
};

/// Whether a metric is a time in seconds, by its name: it ends in `_s`, but not in `_per_s`.
bool is_time_metric(std::string_view name);
/// The position of `runtime_s` among names of metrics or, without it, of the first time; nothing if there is no time.
std::optional<std::size_t> main_time(std::span<const std::string> names);

/// The shapes that ranks meet, each in its own batches: what a process compiles, captures or tunes by shape. Without
/// padding, shapes are distinguished by tokens only: the sum of squares is not a size of a tensor.
struct RankShapes {
  std::vector<std::uint64_t> of_each;     ///< distinct shapes of each rank
  std::vector<std::uint64_t> first_seen;  ///< of each distinct shape of any rank: its first iteration, by the run's own
                                          ///< numbers; ascending
  std::uint64_t iterations_with_new = 0;  ///< iterations in which at least one rank has a shape that is new to it
};

/// The iterations of a run, in order; column by column. A value; whoever makes one keeps columns of the same length,
/// but for those that may be empty, and shapes of the kind.
struct Trace {
  ShapeKind kind = ShapeKind::padded;        ///< kind of all its shapes
  std::vector<Shape> shapes;                 ///< shape of each iteration: of the rank with the most work
  std::vector<std::uint64_t> samples;        ///< of all ranks; with padding it may be empty: equal to batch_size
  std::vector<std::uint64_t> tokens;         ///< unpadded, both sides, all ranks; empty: not known
  std::vector<std::uint64_t> padded_tokens;  ///< both sides, all ranks; empty: Shape::padded_tokens
  /// Padded tokens (without padding: tokens) of the mean rank, at most Shape::padded_tokens, the value of the rank
  /// with the most work. Empty: one rank, or not known.
  std::vector<double> mean_padded_tokens;
  std::vector<std::uint64_t> iteration;       ///< the run's own numbers, ascending; empty: 0, 1, 2, ...
  std::vector<std::uint64_t> epoch;           ///< empty: one epoch
  std::vector<std::uint64_t> optimiser_step;  ///< its number; empty: one per iteration
  std::vector<Metric> metrics;                ///< measured metrics; names are unique
  std::uint64_t of_batches = 0;               ///< of a run of so many iterations one of each part; 0: all of it
  std::uint64_t ranks = 1;                    ///< data-parallel; also 1 if a trace lacks the number
  std::optional<RankShapes> rank_shapes{};    ///< of several ranks; nothing: one rank, or not known

  std::size_t size() const { return shapes.size(); }  ///< iterations
  /// The run's own number of the iteration at position i < size(), which is not checked: the position itself, unless
  /// the trace is a part of a run.
  std::uint64_t iteration_number(std::size_t i) const { return iteration.empty() ? i : iteration[i]; }
  /// The position of the iteration of that number, which the trace has: the inverse of iteration_number().
  std::size_t row_of(std::uint64_t number) const;
  /// Samples of the iteration at position i, of all ranks.
  std::uint64_t samples_at(std::size_t i) const { return samples.empty() ? shapes[i].batch_size : samples[i]; }
  /// Padded tokens of the iteration at position i, both sides, of all ranks.
  std::uint64_t padded_tokens_at(std::size_t i) const {
    return padded_tokens.empty() ? shapes[i].padded_tokens() : padded_tokens[i];
  }
  /// The metric of exactly that name, or null. Owned by the trace.
  const Metric* find_metric(std::string_view name) const;
  /// The time of an iteration in seconds: `runtime_s`, else the first metric whose name is that of a time
  /// (is_time_metric()); null if there is none. Owned by the trace.
  const Metric* time_metric() const;
};

/// A run that one configuration has measured.
struct NamedTrace {
  std::string name;    ///< name of the configuration
  Trace trace;         ///< with metrics of its iterations
  std::string source;  ///< its file, for errors
};

/// A unique shape and how often it occurs.
struct ShapeCount {
  Shape shape;                                                             ///< different in all rows of a histogram
  std::uint64_t count = 0;                                                 ///< iterations
  friend bool operator==(const ShapeCount&, const ShapeCount&) = default;  ///< member by member
};

/// How many shapes several ranks meet, as counts of RankShapes.
struct RankShapeCounts {
  std::uint64_t fewest = 0,                                                          ///< distinct shapes of a rank
      most = 0,                                                                      ///< the same of another rank
      all = 0,                                                                       ///< of all ranks together
      iterations_with_new = 0;                                                       ///< as in RankShapes
  friend bool operator==(const RankShapeCounts&, const RankShapeCounts&) = default;  ///< member by member
};

/// The fewest parts of which the companion loads one batch each (python/seqpoint_companion/loop/sampled.py).
inline constexpr std::uint64_t kFewestParts = 500;

/// Whole-run figures that are known before anything has run: sums over iterations and ranks, and the histogram of
/// shapes.
struct RunSummary {
  std::uint64_t iterations = 0;  ///< micro-batches of all ranks
  std::uint64_t loaded = 0;      ///< of these, one of each part of the run: all that follows is estimated; 0: all
  /// The variance of the mean of their padded tokens, over what it would be if they were drawn from the whole run: less
  /// where neighbours are alike, as in a sorted epoch. Nothing: not known, all are loaded, or some of kFewestParts
  /// equal parts of the run has none, so that they may be any.
  std::optional<double> loaded_variance{};
  std::uint64_t samples = 0;  ///< samples of all iterations and ranks
  std::uint64_t epochs = 1;   ///< epochs that have iterations in the run
  /// Unpadded, both sides, of all ranks; nothing if a trace lacks them.
  std::optional<std::uint64_t> tokens;
  std::uint64_t padded_tokens = 0;     ///< both sides, of all ranks; without padding: the tokens, rounded up
  ShapeKind kind = ShapeKind::padded;  ///< kind of all its shapes
  std::vector<ShapeCount> histogram;   ///< ascending by shape
  /// The first iteration of each phase, by the run's own numbers; empty: not cut into phases.
  std::vector<std::uint64_t> phases{};
  std::uint64_t ranks = 1;  ///< as Trace::ranks
  /// waiting_share() of its trace, in [0, 1).
  std::optional<double> waiting{};
  std::optional<RankShapeCounts> rank_shapes{};  ///< as Trace::rank_shapes

  /// Padded tokens (without padding: tokens) of the rank with the most work, summed over all iterations, from the
  /// histogram.
  std::uint64_t padded_tokens_of_rank() const;
  /// Iterations in which a rank has a shape that is new to it: with one rank its distinct shapes, as in RankShapes. If
  /// the shapes of several ranks are not known: those of the rank with the most work, of which there may be more.
  std::uint64_t iterations_with_new_shapes() const;
};

/// How micro-batches become iterations: how lengths are padded, and which dimensions a shape has.
struct ShapeRule {
  /// Padded lengths (without padding: the tokens of a batch) are rounded up to a multiple of this, >= 1.
  std::uint32_t pad_multiple = 1;
  BatchLayout signature = BatchLayout::padded;  ///< whether shapes are padded lengths, or tokens and squares
};

/// Throws ParameterError for a multiple of 0.
void require_valid(const ShapeRule&);

/// Rounds the lengths (without padding: the tokens) of a trace's shapes up to a multiple, >= 1, as ShapeRule does.
/// Throws ParameterError for a trace of several ranks, unless the multiple is 1, and for lengths beyond 2^32 - 1.
void pad_up(Trace&, std::uint32_t multiple);

/// One iteration, as passed by for_each_iteration() to a sink. A resumed run numbers iterations and steps from 0.
struct IterationRow {
  std::uint64_t iteration = 0;         ///< its number, from 0
  std::uint64_t epoch = 0;             ///< 0-based
  std::uint64_t optimiser_step = 0;    ///< its number, from 0
  Shape shape;                         ///< shape of the rank with the most work
  Shape padded_shape;                  ///< of the same rank, with its actual or hypothetical padding
  std::uint64_t heaviest_rank = 0;     ///< that rank, from 0
  std::span<const Shape> rank_shapes;  ///< shapes of every rank; valid during the call only
  std::uint64_t samples = 0;           ///< samples of all ranks
  std::uint64_t tokens = 0;            ///< unpadded, both sides, of all ranks
  std::uint64_t padded_tokens = 0;     ///< padded tokens of all ranks; without padding: the tokens, rounded up

  /// Padded tokens of the mean rank (without padding: tokens).
  double mean_padded_tokens() const {
    return static_cast<double>(padded_tokens) / static_cast<double>(rank_shapes.size());
  }
};
/// Receives the iterations of a run in their order, each with its micro-batch. Both are valid during the call only.
using IterationSink = std::function<void(const IterationRow&, const batching::MicroBatch&)>;

/// Walks the iterations of a run without keeping them. The last optimiser step of an epoch may have fewer iterations.
/// Throws as batching::for_each_micro_batch(); ParameterError for a rule that contradicts itself, and if a padded
/// length, or the tokens of a batch without padding, exceed 2^32 - 1.
void for_each_iteration(const lengths::Lengths&, const batching::BatchPolicy&, const ShapeRule&, const IterationSink&);

/// The iterations of for_each_iteration() as a trace without metrics. Columns with nothing but their defaults are
/// empty: padded tokens for one rank, epochs for one epoch, optimiser steps without accumulation. Throws as
/// for_each_iteration().
Trace trace_of(const lengths::Lengths&, const batching::BatchPolicy&, const ShapeRule& = {});

/// The share of their time that ranks wait for the rank with the most work, if time is proportional to padded tokens: 1
/// minus the sum over the mean rank divided by the sum over the heaviest. In [0, 1); 0 if there are no tokens. Nothing
/// if the trace has no `mean_padded_tokens`: it lacks the data, or has one rank.
std::optional<double> waiting_share(const Trace&);
/// Maximum number of iterations in an optimiser step, over which the job accumulates gradients; 1 if steps are not
/// known.
std::uint64_t longest_optimiser_step(const Trace&);

/// Sums, waiting share and histogram of a trace; without phases. A varlen trace without a column of samples has 0
/// samples.
RunSummary summarise(const Trace&);

// --- A run cut into phases

/// The positions at which phases of nearly equal size begin: floor(h n / N) for h = 0, ..., N - 1, with n iterations
/// and N phases; 1 <= N <= n.
std::vector<std::size_t> phase_begins(std::size_t iterations, std::uint64_t phases);

/// The iterations at positions [begin, end) of a run, with all columns and metrics. Trace::iteration has their numbers
/// in the run.
Trace iterations_between(const Trace& run, std::size_t begin, std::size_t end);

/// The phase, from 0, of an iteration, by its number in the run; 0 in a run without phases. Numbers before the first
/// phase belong to the first phase, numbers after the run to the last.
std::uint64_t phase_of(const RunSummary& run, std::uint64_t iteration);

// --- Iterations whose measurements include other work: a validation, a checkpoint

/// Replaces every metric's values of interrupted iterations, also NaN, by the mean over the uninterrupted iterations of
/// the same shape or, without any, of the nearest shape (relative_distance()). A metric that no uninterrupted iteration
/// has is unchanged. `interrupted`: one per iteration.
void fill_interrupted(Trace&, const std::vector<bool>& interrupted);

// --- Which numbers can be measurements

inline constexpr double kSmallestMeasurement = 1e-75,  ///< the smallest measurement but 0, in any unit
    kLargestMeasurement = 1e75;                        ///< the largest measurement in any unit

/// Whether a number is 0, or its absolute value is within these limits. False for NaN and infinities.
inline bool is_measurable(double value) {
  return value == 0 || (std::abs(value) >= kSmallestMeasurement && std::abs(value) <= kLargestMeasurement);
}

/// The message about a number that is not one, to follow the number: "1e-300 is ...".
inline constexpr auto kNotMeasurable = " is beyond all that is measured: 1e-75 to 1e75 in any unit, or 0";

// --- The iterations of a run, sorted by shape

/// Positions of a run's iterations, ascending by shape (dimension by dimension); ties in the order of iterations.
std::vector<std::size_t> positions_by_shape(const Trace& run);

/// Positions of a run's iterations, ascending by the value of length_dimension(); ties in the order of iterations.
std::vector<std::size_t> positions_by_length(const Trace& run);

// --- Distance between two shapes

/// The sum over all dimensions of the difference as a share of the larger value, each 0 to 1: 0 for equal shapes.
double relative_distance(const Shape&, const Shape&);

// --- The shapes that each rank of a run meets

/// The part of a shape that a tensor has: everything but the sum of squares.
Shape sizes_of(Shape);

/// Counts the shapes of ranks, iteration by iteration.
class RankShapeCounter {
 public:
  /// Adds an iteration: its number, above that of the one before, and the shapes of all ranks. Every iteration has as
  /// many ranks.
  void add(std::uint64_t iteration, std::span<const Shape> ranks);
  /// The shapes so far. Without iterations all are empty.
  RankShapes finish() &&;

 private:
  std::map<Shape, std::size_t> numbers_;  ///< of the distinct shapes, in order of appearance
  std::vector<std::vector<bool>> seen_;   ///< by rank, then by number: whether the rank has met the shape
  RankShapes shapes_;
};

/// The range over ranks, and the totals. Requires at least one rank.
RankShapeCounts counts_of(const RankShapes&);

}  // namespace seqpoint::trace
