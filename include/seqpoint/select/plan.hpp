/// \file
/// Stage 5: what to run in order to profile the SeqPoints: which iterations, how often, and in which tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/batching/batches.hpp"
#include "seqpoint/select/selection.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::select {

/// An iteration of the run that is run for a point, or before all points.
struct PlannedBatch {
  std::size_t point = 0;               ///< whose it is; of preflight: 0
  std::uint64_t iteration = 0;         ///< the run's own number
  PointKey signature;                  ///< as far as it is known; all of it from find_batches
  std::vector<std::uint32_t> rows;     ///< dataset rows, rank after rank; empty where not known
  std::vector<std::size_t> rank_ends;  ///< one per rank: where its batch ends in `rows`
  std::size_t heaviest_rank = 0;       ///< whose signature it is
  bool padded_to_longest = true;       ///< false: the sampler pads, cuts or packs by a rule of its own

  /// Samples of each rank; nothing where ranks differ or no row is known.
  std::optional<std::size_t> samples_per_rank() const;
};

/// One time that a batch is run.
struct BatchExecution {
  std::size_t point = 0;     ///< index of the point
  std::uint64_t repeat = 0;  ///< 0-based
  bool warmup = false;       ///< not to be measured
  std::size_t batch = 0;     ///< index of the batch
  bool preflight = false;    ///< warm-up of no point, to see whether the batch fits into memory
  friend bool operator==(const BatchExecution&, const BatchExecution&) = default;  ///< member by member
};

/// The points that one process measures, ascending, and what it runs in order: first preflight, then warm-up with the
/// largest batch, then every point once, every point a second time, and so on. So a job that ends early has measured
/// every point, and drift affects all points equally. Each time they come in the order of their iterations in the run:
/// a batch that follows a slightly shorter one, as it would in the order of the points, takes less time than in the
/// run.
struct PlanTask {
  std::vector<std::size_t> points;         ///< indices of the selection's points, ascending
  std::vector<BatchExecution> executions;  ///< in the order in which they run
};

/// What the user decides.
struct PlanParams {
  std::uint64_t warmup = 1;            ///< executions before those that are measured, by each process
  std::vector<std::uint64_t> repeats;  ///< of each point, >= 1
  std::uint64_t points_per_task = 1;   ///< >= 1
  /// What the single process runs first, in order, the first of them twice: what an optimiser keeps of every parameter
  /// is in memory from the end of the first step on only.
  std::vector<PlannedBatch> preflight{};
};

/// A plan: as one task for one process, and as several tasks that can run at the same time.
struct Plan {
  /// By point, at least one each; repeats of a point use its batches in turn. Those of preflight come last.
  std::vector<PlannedBatch> batches;
  PlanTask single_process;      ///< all points, in one process
  std::vector<PlanTask> tasks;  ///< all points of a task have the same number of samples per rank
};

/// The batch of an iteration that is being walked: copies what is valid during the call only. Its point is 0.
PlannedBatch planned_batch(trace::SignatureKind, const trace::IterationRow&, const batching::MicroBatch&);

/// Walks the run and returns the batches that show whether it fits into memory, largest first: the iterations in which
/// some rank has more padded tokens, more samples or a longer sample (without padding: tokens, samples, squares) than
/// any before, but for those that a later one of them has no less of anything than. Throws as
/// trace::for_each_iteration().
std::vector<PlannedBatch> preflight_batches(const lengths::Lengths&, const batching::BatchPolicy&,
                                            const trace::SignatureRule&);

/// Walks the run again and returns the batches of the iterations that the points name: of each point those that have
/// the signature of the first that matches, at most as many as its repeats. Throws InputError (with `source` as the
/// file) where the points are of another run. `repeats`: of each point, >= 1. Also throws as
/// trace::for_each_iteration().
std::vector<PlannedBatch> find_batches(const Selection&, std::span<const std::uint64_t> repeats,
                                       const lengths::Lengths&, const batching::BatchPolicy&,
                                       const trace::SignatureRule&, std::string_view source);

/// The batches as far as the points themselves describe them, with rows where they have any: for runs whose data set is
/// not at hand. `repeats`: of each point, >= 1. A point that leaves a part of its signature open has one batch.
std::vector<PlannedBatch> batches_of_points(const Selection&, std::span<const std::uint64_t> repeats);

/// Makes a plan of batches. `batches`: by point, ascending, at least one of each, as find_batches() and
/// batches_of_points() return them. Plan::batches are these, then those of preflight.
Plan make_plan(std::vector<PlannedBatch> batches, const PlanParams&);

/// Samples per rank of every execution, of which the last may have fewer. Nothing where they differ: then no loader
/// with one batch size can produce them.
std::optional<std::size_t> batch_size_of(const PlanTask&, std::span<const PlannedBatch>);

/// The dataset rows of a task in the order for a sequential sampler whose batches are then the executions. With several
/// ranks it gives one row to each in turn (PyTorch's DistributedSampler without shuffling).
std::vector<std::uint32_t> rows_in_order(const PlanTask&, std::span<const PlannedBatch>);

}  // namespace seqpoint::select
