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

#include "seqpoint/batches.hpp"
#include "seqpoint/lengths.hpp"

namespace seqpoint {

/// What decides an iteration's cost: the padded lengths and the batch size; with several ranks the component-wise maximum,
/// because a synchronous step waits for the slowest (SeqPoint, Pati et al., ISPASS 2020, for the length alone).
struct Signature {
  std::uint32_t src_len = 0;
  std::uint32_t tgt_len = 0;  ///< 0 in a run of one length
  std::uint32_t batch_size = 0;
  friend auto operator<=>(const Signature&, const Signature&) = default;
};

/// Something measured per iteration. NaN: not measured there.
struct Statistic {
  std::string name;
  std::vector<double> values;  ///< one an iteration
};

/// The iterations of a run, in order; column by column, all of the same length.
struct Trace {
  std::vector<std::uint32_t> src_len;
  std::vector<std::uint32_t> tgt_len;  ///< empty: one length an iteration
  std::vector<std::uint32_t> batch_size;
  std::vector<std::uint64_t> samples;        ///< of all ranks; empty: equal to batch_size
  std::vector<std::uint64_t> tokens;         ///< unpadded, both sides, all ranks; empty: not known
  std::vector<std::uint64_t> padded_tokens;  ///< both sides, all ranks; empty: batch_size x (src_len + tgt_len)
  std::vector<std::uint64_t> iteration;      ///< the run's own numbers, ascending; empty: 0, 1, 2, ...
  std::vector<std::uint64_t> epoch;          ///< empty: one epoch
  std::vector<std::uint64_t> step;           ///< optimiser step under gradient accumulation; empty: a step an iteration
  std::vector<Statistic> statistics;

  std::size_t size() const { return src_len.size(); }
  bool paired() const { return !tgt_len.empty(); }
  Signature signature(std::size_t i) const { return {src_len[i], paired() ? tgt_len[i] : 0, batch_size[i]}; }
  std::uint64_t iteration_number(std::size_t i) const { return iteration.empty() ? i : iteration[i]; }
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
  std::vector<SignatureCount> histogram;  ///< ascending by signature
};

/// How steps become iterations.
struct SignatureRule {
  std::uint32_t pad_multiple = 1;  ///< padded lengths are rounded up to a multiple of this, >= 1
};

/// One iteration, as `for_each_iteration` hands it out.
struct IterationRow {
  std::uint64_t iteration = 0;
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;  ///< optimiser step
  Signature signature;     ///< of the slowest rank, component by component
  std::uint64_t samples = 0;
  std::uint64_t tokens = 0;
  std::uint64_t padded_tokens = 0;
};
using IterationSink = std::function<void(const IterationRow&, const Step&)>;

/// Walks the iterations of a run without keeping them. An accumulation that an epoch cuts short ends with the epoch.
/// Throws as for_each_step.
void for_each_iteration(const Lengths&, const BatchPolicy&, const SignatureRule&, const IterationSink&);

/// The same, kept.
Trace trace_of(const Lengths&, const BatchPolicy&, const SignatureRule& = {});

/// Sums and histogram of a trace.
RunSummary summarise(const Trace&);

}  // namespace seqpoint
