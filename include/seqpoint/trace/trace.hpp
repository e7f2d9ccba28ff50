/// \file
/// Stage 3: the iterations of a run, each with its signature and whatever was measured of it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/batching/batches.hpp"
#include "seqpoint/lengths/lengths.hpp"

namespace seqpoint::trace {

/// How the sequences of a batch are put together, which decides what an iteration costs.
enum class SignatureKind {
  padded,  ///< every sequence padded to the longest
  varlen   ///< no padding: sequences packed end to end, attention of variable length
};

/// `padded|varlen`; nothing for any other word.
std::optional<SignatureKind> signature_kind(std::string_view name);

/// What decides an iteration's cost: the padded lengths and the batch size; with several ranks the component-wise
/// maximum, because a synchronous step waits for the slowest (SeqPoint, Pati et al., ISPASS 2020, for the length
/// alone). Without padding a batch is one row that holds all its sequences: src_len is the batch's tokens and
/// batch_size 1. Linear layers grow with the tokens, attention with sq_tokens (each sequence attends to itself).
struct Signature {
  std::uint32_t src_len = 0;
  std::uint32_t tgt_len = 0;  ///< 0 in a run of one length, and without padding
  std::uint32_t batch_size = 0;
  std::uint64_t sq_tokens = 0;  ///< sum over the sequences of the squared length, both sides; 0 with padding

  /// tgt_len or sq_tokens, whichever a run has; 0 in a run of one length.
  double second_dimension() const { return tgt_len + static_cast<double>(sq_tokens); }
  friend auto operator<=>(const Signature&, const Signature&) = default;
};

/// Something measured per iteration. NaN: not measured there.
struct Statistic {
  std::string name;
  std::vector<double> values;  ///< one per iteration
};

/// Whether a metric is a time in seconds, by its name: `runtime_s`, but not `samples_per_s`.
bool is_time_metric(std::string_view name);

/// The iterations of a run, in order; column by column, all of the same length.
struct Trace {
  std::vector<std::uint32_t> src_len;  ///< without padding: the tokens of the largest rank, as Signature has them
  std::vector<std::uint32_t> tgt_len;  ///< empty: one length an iteration
  std::vector<std::uint32_t> batch_size;
  std::vector<std::uint64_t> sq_tokens{};     ///< empty: trained with padding
  std::vector<std::uint64_t> samples;         ///< of all ranks; empty: equal to batch_size
  std::vector<std::uint64_t> tokens;          ///< unpadded, both sides, all ranks; empty: not known
  std::vector<std::uint64_t> padded_tokens;   ///< both sides, all ranks; empty: batch_size x (src_len + tgt_len)
  std::vector<std::uint64_t> iteration;       ///< the run's own numbers, ascending; empty: 0, 1, 2, ...
  std::vector<std::uint64_t> epoch;           ///< empty: one epoch
  std::vector<std::uint64_t> optimiser_step;  ///< its number; empty: one per iteration
  std::vector<Statistic> statistics;

  std::size_t size() const { return src_len.size(); }
  bool paired() const { return !tgt_len.empty(); }
  bool varlen() const { return !sq_tokens.empty(); }
  Signature signature(std::size_t i) const {
    return {.src_len = src_len[i],
            .tgt_len = paired() ? tgt_len[i] : 0,
            .batch_size = batch_size[i],
            .sq_tokens = varlen() ? sq_tokens[i] : 0};
  }
  std::uint64_t iteration_number(std::size_t i) const { return iteration.empty() ? i : iteration[i]; }
  /// The position of the iteration of that number, which the trace has.
  std::size_t row_of(std::uint64_t number) const;
  std::uint64_t samples_at(std::size_t i) const { return samples.empty() ? batch_size[i] : samples[i]; }
  std::uint64_t padded_tokens_at(std::size_t i) const;
  /// The statistic of that name, or null.
  const Statistic* find_statistic(std::string_view name) const;
};

/// A unique signature and how often it occurs.
struct SignatureCount {
  Signature signature;
  std::uint64_t count = 0;
};

/// Whole-run figures that are known before anything has run.
struct RunSummary {
  std::uint64_t iterations = 0;
  std::uint64_t samples = 0;
  std::uint64_t epochs = 1;
  std::optional<std::uint64_t> tokens;  ///< nothing where a trace does not say
  std::uint64_t padded_tokens = 0;
  bool paired = false;
  bool varlen = false;                    ///< trained without padding
  std::vector<SignatureCount> histogram;  ///< ascending by signature
  std::vector<std::uint64_t>
      phases{};  ///< the first iteration of each, by the run's own numbers; empty: not cut into phases
};

/// How micro-batches become iterations.
struct SignatureRule {
  std::uint32_t pad_multiple = 1;  ///< padded lengths are rounded up to a multiple of this, >= 1
  SignatureKind kind = SignatureKind::padded;
};

/// Throws UsageError for a rule that contradicts itself.
void require_valid(const SignatureRule&);

/// One iteration, as `for_each_iteration` passes it to a sink.
struct IterationRow {
  std::uint64_t iteration = 0;
  std::uint64_t epoch = 0;
  std::uint64_t optimiser_step = 0;  ///< its number, from 0
  Signature signature;               ///< padded lengths and batch size, of each the largest of any rank
  Signature unpadded_signature;      ///< tokens and sq_tokens, of each the largest of any rank; only with varlen
  std::uint64_t samples = 0;
  std::uint64_t tokens = 0;
  std::uint64_t padded_tokens = 0;
};
using IterationSink = std::function<void(const IterationRow&, const batching::MicroBatch&)>;

/// Walks the iterations of a run without keeping them. The last optimiser step of an epoch may have fewer iterations.
/// Throws as for_each_micro_batch; UsageError where a batch without padding has more than 2^32 - 1 tokens.
void for_each_iteration(const lengths::Lengths&, const batching::BatchPolicy&, const SignatureRule&,
                        const IterationSink&);

/// The iterations that for_each_iteration walks, as a trace.
Trace trace_of(const lengths::Lengths&, const batching::BatchPolicy&, const SignatureRule& = {});

/// Sums and histogram of a trace.
RunSummary summarise(const Trace&);

}  // namespace seqpoint::trace
