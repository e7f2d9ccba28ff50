/// \file
/// The iterations of a run and their signatures: what their batches were padded to.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/enum_names.hpp"
#include "core/lengths/lengths.hpp"

namespace seqpoint::trace {

// --- What decides an iteration's cost: the three kinds of signatures, and the names of their dimensions.

/// How the sequences of a batch are put together.
enum class BatchLayout {
  padded,  ///< every sequence padded to the longest
  varlen   ///< no padding: sequences packed end to end, attention of variable length
};

/// The words of layouts.
inline constexpr std::array<Word<BatchLayout>, 2> kBatchLayouts{
    {{"padded", BatchLayout::padded, "lengths padded to the longest"},
     {"varlen", BatchLayout::varlen, "training without padding"}}};

/// A part of a signature: a padded source or target length, the sequences of a batch, its unpadded tokens, the sum of
/// its squared unpadded lengths.
enum class Dimension : std::uint8_t { src_len, tgt_len, batch_size, tokens, sq_tokens };

/// All dimensions, in the order in which signatures are compared and artefacts list them.
inline constexpr std::array kDimensions{Dimension::src_len, Dimension::tgt_len, Dimension::batch_size,
                                        Dimension::tokens, Dimension::sq_tokens};

/// The one name of a dimension in artefacts, tables, messages and names of steps: `src_len`.
std::string_view name_of(Dimension);
/// The dimension of that name; nothing for any other word.
std::optional<Dimension> dimension(std::string_view name);
/// The most that a signature holds of a dimension: 2^32 - 1; of sq_tokens 2^64 - 1.
std::uint64_t largest_value(Dimension);

/// Which dimensions the signatures of a run have. All of one run are of one kind.
enum class SignatureKind {
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
const KindProperties& properties_of(SignatureKind);
/// The kind of a layout; `paired`: whether samples have a source and a target side, which varlen does not tell apart.
SignatureKind kind_of(BatchLayout, bool paired);

/// The dimensions of a kind, in the order of kDimensions; the first is the length.
inline std::span<const Dimension> dimensions_of(SignatureKind kind) { return properties_of(kind).dimensions; }
/// What methods of one length go by, and figures are drawn over: src_len, or tokens without padding.
inline Dimension length_dimension(SignatureKind kind) { return dimensions_of(kind).front(); }

/// What decides an iteration's cost: with padding the lengths and the batch size, without it tokens and sq_tokens.
/// Dimensions that its kind does not have are 0.
///
/// With several ranks it is that of the rank with the most work, because a synchronous step waits for the slowest: the
/// most padded tokens (without padding: tokens, then sq_tokens), then the longer source, then the first of the ranks.
struct Signature {
  std::uint32_t src_len = 0,     ///< padded length of the source side, or the only one; tokens or frames
      tgt_len = 0;               ///< the same of the target side; 0 in a run of one length
  std::uint32_t batch_size = 0;  ///< sequences of a padded batch
  std::uint32_t tokens = 0;      ///< of a batch without padding, both sides: linear layers grow with them
  /// Sum over a batch's sequences of the squared length, both sides: attention grows with it, each sequence attends to
  /// itself.
  std::uint64_t sq_tokens = 0;

  /// The value of a dimension; 0 where the kind does not have it.
  std::uint64_t operator[](Dimension dimension) const {
    constexpr std::array kLengths{&Signature::src_len, &Signature::tgt_len, &Signature::batch_size, &Signature::tokens};
    const auto at = static_cast<std::size_t>(dimension);
    return at < kLengths.size() ? this->*kLengths[at] : sq_tokens;
  }
  /// The value of length_dimension(): src_len, or tokens, as the other is 0.
  std::uint32_t length() const { return src_len + tokens; }
  /// Tokens of the whole batch, both sides, with its padding; without padding: its tokens.
  std::uint64_t padded_tokens() const {
    return tokens + std::uint64_t{batch_size} * (std::uint64_t{src_len} + tgt_len);
  }
  /// Dimension by dimension, in the order of kDimensions.
  friend auto operator<=>(const Signature&, const Signature&) = default;
};

/// The parts of a signature that are known, as of what a profiler names.
struct PartialSignature {
  std::optional<std::uint64_t> src_len{},  ///< Signature::src_len
      tgt_len{},                           ///< Signature::tgt_len
      batch_size{},                        ///< Signature::batch_size
      tokens{},                            ///< Signature::tokens
      sq_tokens{};                         ///< Signature::sq_tokens

  /// All parts of a signature of that kind.
  static PartialSignature of(SignatureKind, const Signature&);
  /// The signature of the kind's dimensions, whatever else is known; nothing where one of them is not. Parts are at
  /// most largest_value().
  std::optional<Signature> whole(SignatureKind) const;
  /// Whether all parts that are known are those of that signature.
  bool may_be(const Signature&) const;
  /// The part of a dimension.
  std::optional<std::uint64_t>& operator[](Dimension d) { return this->*part(d); }
  /// The part of a dimension.
  const std::optional<std::uint64_t>& operator[](Dimension d) const { return this->*part(d); }
  /// Part by part, in the order of kDimensions; one that is not known comes first.
  friend auto operator<=>(const PartialSignature&, const PartialSignature&) = default;

 private:
  static std::optional<std::uint64_t> PartialSignature::*part(Dimension);
};

/// Names and values of the parts: "src_len 213, batch_size 64" with `equals` " " and `separator` ", ".
std::string text_of(const PartialSignature&, std::string_view equals = " ", std::string_view separator = ", ");
/// The same of all parts of a signature of that kind.
std::string text_of(SignatureKind, const Signature&, std::string_view equals = " ", std::string_view separator = ", ");

// --- Stage 3: the iterations of a run, each with its signature and whatever was measured of it.

/// Something measured of each iteration: a column of a trace.
struct Statistic {
  std::string name;            ///< its unit is part of it, as in `runtime_s`
  std::vector<double> values;  ///< one per iteration; NaN: not measured there
};

/// Whether a metric is a time in seconds, by its name: it ends in `_s`, but not in `_per_s`.
bool is_time_metric(std::string_view name);

/// The iterations of a run, in order; column by column, all of the same length. A value; the caller keeps columns of
/// the same length, and signatures of the kind (require_valid()).
struct Trace {
  SignatureKind kind = SignatureKind::padded;  ///< of all its signatures
  std::vector<Signature> signatures;           ///< of each iteration: of the rank with the most work
  std::vector<std::uint64_t> samples;          ///< of all ranks; with padding it may be empty: equal to batch_size
  std::vector<std::uint64_t> tokens;           ///< unpadded, both sides, all ranks; empty: not known
  std::vector<std::uint64_t> padded_tokens;    ///< both sides, all ranks; empty: Signature::padded_tokens
  /// Padded tokens (without padding: tokens) of the mean rank, at most Signature::padded_tokens, which are those of the
  /// rank with the most work. Empty: one rank, or not known.
  std::vector<double> mean_padded_tokens;
  std::vector<std::uint64_t> iteration;       ///< the run's own numbers, ascending; empty: 0, 1, 2, ...
  std::vector<std::uint64_t> epoch;           ///< empty: one epoch
  std::vector<std::uint64_t> optimiser_step;  ///< its number; empty: one per iteration
  std::vector<Statistic> statistics;          ///< what was measured; names are different
  std::uint64_t ranks = 1;                    ///< data-parallel; also 1 where a trace does not say

  std::size_t size() const { return signatures.size(); }  ///< iterations
  /// The run's own number of the iteration at position i < size(), which is not checked: the position itself, unless
  /// the trace is a part of a run.
  std::uint64_t iteration_number(std::size_t i) const { return iteration.empty() ? i : iteration[i]; }
  /// The position of the iteration of that number, which the trace has: the inverse of iteration_number().
  std::size_t row_of(std::uint64_t number) const;
  /// Samples of the iteration at position i, of all ranks.
  std::uint64_t samples_at(std::size_t i) const { return samples.empty() ? signatures[i].batch_size : samples[i]; }
  /// Padded tokens of the iteration at position i, both sides, of all ranks.
  std::uint64_t padded_tokens_at(std::size_t i) const {
    return padded_tokens.empty() ? signatures[i].padded_tokens() : padded_tokens[i];
  }
  /// The statistic of that name, or null. Owned by the trace.
  const Statistic* find_statistic(std::string_view name) const;
  /// The time of an iteration in seconds: `runtime_s`, else the first statistic whose name is that of a time
  /// (is_time_metric()); null where there is none. Owned by the trace.
  const Statistic* time_statistic() const;
};

/// A unique signature and how often it occurs.
struct SignatureCount {
  Signature signature;      ///< different in all rows of a histogram
  std::uint64_t count = 0;  ///< iterations
};

/// Whole-run figures that are known before anything has run: sums over iterations and ranks, and the histogram of
/// signatures.
struct RunSummary {
  std::uint64_t iterations = 0;  ///< micro-batches of all ranks
  std::uint64_t samples = 0;     ///< of all iterations and ranks
  std::uint64_t epochs = 1;      ///< that it has iterations of
  /// Unpadded, both sides, of all ranks; nothing where a trace does not say.
  std::optional<std::uint64_t> tokens;
  std::uint64_t padded_tokens = 0;             ///< both sides, of all ranks; without padding: the tokens
  SignatureKind kind = SignatureKind::padded;  ///< of all its signatures
  std::vector<SignatureCount> histogram;       ///< ascending by signature
  /// The first iteration of each phase, by the run's own numbers; empty: not cut into phases.
  std::vector<std::uint64_t> phases{};
  std::uint64_t ranks = 1;  ///< as Trace::ranks
  /// waiting_share() of its trace, in [0, 1).
  std::optional<double> waiting{};

  /// Those of the rank with the most work in each iteration, as signatures have them.
  std::uint64_t padded_tokens_of_rank() const;
};

/// How micro-batches become iterations: how lengths are padded, and what a signature consists of.
struct SignatureRule {
  std::uint32_t pad_multiple = 1;            ///< padded lengths are rounded up to a multiple of this, >= 1
  BatchLayout layout = BatchLayout::padded;  ///< whether signatures are padded lengths, or tokens and squares
};

/// Throws ParameterError for a multiple of 0, and for one without padding.
void require_valid(const SignatureRule&);

/// One iteration, as for_each_iteration() passes it to a sink. A run that is resumed numbers iterations and steps anew.
struct IterationRow {
  std::uint64_t iteration = 0;                 ///< its number, from 0
  std::uint64_t epoch = 0;                     ///< 0-based
  std::uint64_t optimiser_step = 0;            ///< its number, from 0
  Signature signature;                         ///< of the rank with the most work
  Signature padded_signature;                  ///< of the same rank, as it is, or would be, with padding
  std::uint64_t heaviest_rank = 0;             ///< that rank, from 0
  std::span<const Signature> rank_signatures;  ///< of every rank; valid during the call only
  std::uint64_t samples = 0;                   ///< of all ranks
  std::uint64_t tokens = 0;                    ///< unpadded, both sides, of all ranks
  std::uint64_t padded_tokens = 0;             ///< of all ranks; without padding: the tokens

  /// Padded tokens of the mean rank (without padding: tokens).
  double mean_padded_tokens() const {
    return static_cast<double>(padded_tokens) / static_cast<double>(rank_signatures.size());
  }
};
/// Takes the iterations of a run in their order, each with the micro-batch that it is made of. Both are valid during
/// the call only.
using IterationSink = std::function<void(const IterationRow&, const batching::MicroBatch&)>;

/// A micro-batch as an iteration of a run; its numbers are left at 0. `rank_signatures` is overwritten, and has to live
/// as long as the row is used. Throws ParameterError as for_each_iteration().
IterationRow iteration_of(const batching::MicroBatch&, const lengths::Lengths&, const SignatureRule&,
                          std::vector<Signature>& rank_signatures);

/// Walks the iterations of a run without keeping them. The last optimiser step of an epoch may have fewer iterations.
/// Throws as batching::for_each_micro_batch(); ParameterError for a rule that contradicts itself, and where a padded
/// length, or the tokens of a batch without padding, are beyond 2^32 - 1.
void for_each_iteration(const lengths::Lengths&, const batching::BatchPolicy&, const SignatureRule&,
                        const IterationSink&);

/// The iterations that for_each_iteration() walks, as a trace without statistics. Throws as it.
Trace trace_of(const lengths::Lengths&, const batching::BatchPolicy&, const SignatureRule& = {});

/// The share of their time that ranks wait for the one with the most work, were time as padded tokens: 1 less the sum
/// of what the mean rank has over the sum of what the heaviest has. In [0, 1). Nothing where the trace does not say, or
/// is of one rank.
std::optional<double> waiting_share(const Trace&);
/// The most iterations that an optimiser step has, over which the job accumulates gradients; 1 where steps are not
/// known.
std::uint64_t longest_optimiser_step(const Trace&);

/// Throws std::invalid_argument, with the column that is to blame, unless all columns are of the same length.
void require_valid(const Trace&);
/// Sums and histogram of a trace; without phases. Throws as require_valid().
RunSummary summarise(const Trace&);

}  // namespace seqpoint::trace
