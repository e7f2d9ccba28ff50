/// \file
/// Figures from lengths and batches before anything runs: padding, shapes, and load imbalance of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/lengths/lengths.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::forecast {

/// The size of an epoch.
struct EpochSteps {
  std::uint64_t iterations = 0,                                            ///< forward and backward passes
      optimiser_steps = 0;                                                 ///< updates of the weights
  std::uint64_t last_step = 0;                                             ///< iterations of its last optimiser step
  friend bool operator==(const EpochSteps&, const EpochSteps&) = default;  ///< member by member
};

/// How a run's batches use a data set, over all epochs and ranks; tokens are unpadded, on both sides. For a resumed
/// run: over the epochs that it is in, including the part that ran before; sums of squares cover only the part still to
/// run.
struct DatasetUse {
  std::uint64_t samples = 0,          ///< in the data set, counted once per epoch
      tokens = 0;                     ///< tokens of these samples
  std::uint64_t left_out = 0;         ///< samples that are in no batch of an epoch
  std::uint64_t tokens_left_out = 0;  ///< tokens of these samples
  std::uint64_t repeated = 0;         ///< additional batches of an epoch that contain a sample, or a piece of it
  std::uint64_t tokens_cut = 0;       ///< tokens of samples that their batches lack, net in each epoch
  std::uint64_t tokens_repeated = 0;  ///< tokens of batches in addition to their samples, net in each epoch
  double sq_tokens = 0;               ///< sum of the squared unpadded lengths
  double padded_sq_tokens = 0;        ///< the same for padded lengths; without padding: for unpadded ones
};

/// Walks the run and counts. Uses one bit of memory per sample. Throws as trace::for_each_iteration().
DatasetUse use_of(const lengths::Lengths&, const batching::BatchPolicy&, const trace::ShapeRule&);

/// Time that ranks wait for the rank with the most work, as shares of their time, if time is proportional to padded
/// tokens.
struct Waiting {
  double share = 0;             ///< share of the whole run
  double most = 0;              ///< the largest of any iteration
  std::uint64_t iteration = 0;  ///< the first iteration with that share, by the run's own numbers
};

/// A size of the batch of the rank with the most work, and the iterations at which it set a new maximum: where memory
/// may run out.
struct Maximum {
  std::string measure;                 ///< `padded_tokens`, or the name of a dimension
  std::uint64_t most = 0;              ///< maximum over the whole run
  std::vector<std::uint64_t> records;  ///< by the run's own numbers; the last has the maximum. Not empty
};

/// Figures from the iterations of a run before anything runs.
struct Forecast {
  trace::RunSummary run;  ///< totals and histogram
  /// The first iteration of each shape of run.histogram, in its order, by the run's own numbers.
  std::vector<std::uint64_t> first_seen;
  /// The shapes of every rank, also of a single one; nothing: a trace of several ranks lacks them.
  std::optional<trace::RankShapes> shapes;
  std::vector<EpochSteps> epochs;  ///< in their order
  std::uint64_t accumulation = 1;  ///< the most iterations of an optimiser step
  std::vector<Maximum> maxima;     ///< for padded tokens, and for each dimension
  std::optional<Waiting> waiting;  ///< nothing: one rank, or the trace lacks the data
  std::optional<DatasetUse> use;   ///< nothing: not known for a trace
  /// Sum of the squared unpadded lengths over all ranks; nothing: the trace lacks it.
  std::optional<double> sq_tokens,
      padded_sq_tokens;  ///< the same for padded lengths
};

/// Forecasts a run with at least one iteration. `use`: from use_of() for the trace's data set; nothing: the data set is
/// not available.
Forecast forecast(const trace::Trace&, const std::optional<DatasetUse>& use = {});

/// The first iteration, by the run's own numbers, by which at least `share` of the distinct shapes have occurred in any
/// rank; if the shapes of ranks are not known, of those of run.histogram. `share` is above 0 and up to 1.
std::uint64_t seen_by(const Forecast&, double share);

}  // namespace seqpoint::forecast
