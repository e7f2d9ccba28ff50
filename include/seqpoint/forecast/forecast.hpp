/// \file
/// What the batches of a run tell before anything runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/batching/batches.hpp"
#include "seqpoint/forecast/bounds.hpp"
#include "seqpoint/lengths/lengths.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::forecast {

/// How long an epoch is.
struct EpochSteps {
  std::uint64_t iterations = 0,                                            ///< forward and backward passes
      optimiser_steps = 0;                                                 ///< updates of the weights
  std::uint64_t last_step = 0;                                             ///< iterations of its last optimiser step
  friend bool operator==(const EpochSteps&, const EpochSteps&) = default;  ///< member by member
};

/// What of a data set the run's batches hold, over all epochs and ranks; tokens are unpadded, of both sides. Of a run
/// that is resumed: over the epochs that it is in, with what ran of them before; but sums of squares are of what still
/// runs.
struct DatasetUse {
  std::uint64_t samples = 0,          ///< of the data set, once an epoch
      tokens = 0;                     ///< of these samples
  std::uint64_t left_out = 0;         ///< samples that are in no batch of an epoch
  std::uint64_t tokens_left_out = 0;  ///< of these samples
  std::uint64_t repeated = 0;         ///< times that a sample is in one more batch of an epoch, or a piece of it
  std::uint64_t tokens_cut = 0;       ///< that samples have more than their batches
  std::uint64_t tokens_repeated = 0;  ///< that batches have more than their samples
  double sq_tokens = 0;               ///< sum of the squared unpadded lengths
  double padded_sq_tokens = 0;        ///< the same of padded lengths; without padding: of unpadded ones
};

/// Walks the run and counts. Takes one bit of memory for each sample. Throws as trace::for_each_iteration().
DatasetUse use_of(const lengths::Lengths&, const batching::BatchPolicy&, const trace::SignatureRule&);

/// What ranks wait for the one with the most work, as shares of their time, were time as padded tokens.
struct Waiting {
  double share = 0;             ///< of the whole run
  double most = 0;              ///< of any iteration
  std::uint64_t iteration = 0;  ///< the first of which that is so, by the run's own numbers
};

/// A run with the samples of each iteration on some ranks.
struct DealtRun {
  std::string_view name;  ///< "as they are", "by tokens", "by squares", "by fitted cost"; as long as the program
  double waiting = 0;     ///< the share of their time that ranks wait for the slowest, over all iterations; in [0, 1)
  trace::RunSummary run;  ///< its histogram has the slowest rank of each iteration, in the order of ranks
};

/// A measure of the batch of the rank with the most work, and the iterations in which it was more than in all before:
/// where memory may run out.
struct Maximum {
  std::string measure;                 ///< `padded_tokens`, or the name of a dimension
  std::uint64_t most = 0;              ///< of the whole run
  std::vector<std::uint64_t> records;  ///< by the run's own numbers; the last has the most. Not empty
};

/// What the iterations of a run tell before anything runs.
struct Forecast {
  trace::RunSummary run;  ///< sums and histogram
  /// The first iteration of each signature of run.histogram, in its order, by the run's own numbers.
  std::vector<std::uint64_t> first_seen;
  std::vector<EpochSteps> epochs;        ///< in their order
  std::uint64_t accumulation = 1;        ///< the most iterations of an optimiser step
  std::vector<Maximum> maxima;           ///< of padded tokens, and of each dimension
  std::optional<Waiting> waiting;        ///< nothing: one rank, or the trace does not say
  std::optional<DatasetUse> use;         ///< nothing: not known of a trace
  std::vector<BoundsComparison> bounds;  ///< empty: not asked for
  std::vector<DealtRun> dealt;           ///< from deal_to_ranks(); empty: one rank, or times are not known
  /// Sum of the squared unpadded lengths over all ranks; nothing: the trace does not say.
  std::optional<double> sq_tokens,
      padded_sq_tokens;  ///< the same of padded lengths
};

/// Forecasts a run, of at least one iteration. `use` is that of the trace's data set, from use_of(); nothing: it is not
/// at hand.
Forecast forecast(const trace::Trace&, const std::optional<DatasetUse>& use = {});

/// Predicts the seconds of each of these signatures. `at` has each once; ascending.
using SecondsOf = std::function<SecondsBySignature(const std::vector<trace::SignatureCount>& at)>;

/// The run as it is, then with the samples of each iteration dealt out anew, as a balancer would: the heaviest first,
/// each to the rank with the least load so far, the first of equal ones. With padding a rank keeps as many samples as
/// it had; without, it gets any number. Loads are lengths, squared lengths, or a sample's share of the seconds of a
/// batch of its equals, less those of an empty one.
///
/// Where batches are not whole samples padded to the longest (packed, cropped, padded to a bound), only as it is.
/// `run`: the summary of the same iterations. Throws as trace::for_each_iteration().
std::vector<DealtRun> deal_to_ranks(const lengths::Lengths&, const batching::BatchPolicy&, const trace::SignatureRule&,
                                    const trace::RunSummary& run, const SecondsOf&);

/// The iteration, by the run's own numbers, by which `share` of the distinct signatures have been seen; above 0 and up
/// to 1.
std::uint64_t seen_by(const Forecast&, double share);

}  // namespace seqpoint::forecast
