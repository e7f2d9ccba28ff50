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
  std::size_t run = 0;                 ///< whose iteration it is, as Point::run

  /// Samples of each rank; nothing where ranks differ or no row is known.
  std::optional<std::size_t> samples_per_rank() const;
};

/// One time that a batch is run.
struct BatchExecution {
  std::size_t point = 0;     ///< index of the point; of warm-up before all points the largest of the process
  std::uint64_t repeat = 0;  ///< 0-based: of the point in all processes together, or of warm-up before all points
  bool warmup = false;       ///< not to be measured
  std::size_t batch = 0;     ///< index of the batch
  bool preflight = false;    ///< warm-up of no point, to see whether the batch fits into memory
  bool first = false;        ///< warm-up of a point: right before what the process measures of it first
  friend bool operator==(const BatchExecution&, const BatchExecution&) = default;  ///< member by member
};

/// The points that one process measures, ascending, and what it runs in order: first preflight, then warm-up with
/// batches of varied shapes, then every point once, every point a second time, and so on. So a job that ends early has
/// measured every point. Each time the points come in an order drawn anew, in every process another: neither lengths
/// nor points follow a drift. Before it is measured for the first time in the process, a point runs once as its own
/// warm-up, where it can at another iteration.
struct PlanTask {
  std::vector<std::size_t> points;         ///< indices of the selection's points, ascending
  std::vector<BatchExecution> executions;  ///< in the order in which they run
  std::uint64_t session = 0;               ///< which of the processes that measure all points it is, or is a part of
};

/// What the user decides.
struct PlanParams {
  std::optional<std::uint64_t> warmup{};       ///< batches before the first point of a process; nothing: usual_warmup()
  std::vector<std::uint64_t> repeats;          ///< of each point in all processes, >= sessions
  std::uint64_t sessions = 1;                  ///< processes that measure every point, >= 1
  std::uint64_t points_per_task = UINT64_MAX;  ///< >= 1
  /// What the first process runs first, in order, the first of them twice: what an optimiser keeps of every parameter
  /// is in memory from the end of the first step on only.
  std::vector<PlannedBatch> preflight{};
  /// To warm up with, by size, as warmup_batches() finds them. Where none fit a process, it takes its points' own.
  std::vector<PlannedBatch> warmup_batches{};
  std::uint64_t seed = 0;  ///< of the orders
};

/// A plan: what each process runs that measures all points, and the same as tasks of one batch size.
struct Plan {
  /// By point, at least one each; repeats of a point use its batches in turn. Then those of warm-up and of preflight.
  std::vector<PlannedBatch> batches;
  std::vector<PlanTask> sessions;  ///< all points each
  PlanTask whole;                  ///< all that the sessions run, one after the other
  std::vector<PlanTask> tasks;     ///< by session; all points of a task have the same number of samples per rank
};

/// Batches that a process runs before its first point where nobody says how many, if it runs so many for its points: a
/// tenth of all together, at least one.
std::uint64_t usual_warmup(std::uint64_t executions);

/// The batch of an iteration that is being walked: copies what is valid during the call only. Its point is 0.
PlannedBatch planned_batch(trace::SignatureKind, const trace::IterationRow&, const batching::MicroBatch&);

/// Walks the run and returns the batches that show whether it fits into memory, largest first: the iterations in which
/// some rank has more padded tokens, more samples or a longer sample (without padding: tokens, samples, squares) than
/// any before, but for those that a later one of them has no less of anything than. Throws as
/// trace::for_each_iteration().
std::vector<PlannedBatch> preflight_batches(const lengths::Lengths&, const batching::BatchPolicy&,
                                            const trace::SignatureRule&);

/// Walks the run and returns batches to warm a process up with: of each batch size that the points' batches have,
/// iterations of up to `count` signatures, which divide the run's iterations from small to large into equal parts. They
/// are not the points' own: what runs of a point first is to be the first of its shape. Ascending by padded tokens;
/// empty where the run has no other signatures. Throws as trace::for_each_iteration().
std::vector<PlannedBatch> warmup_batches(const trace::RunSummary&, std::span<const PlannedBatch> of_points,
                                         std::uint64_t count, const lengths::Lengths&, const batching::BatchPolicy&,
                                         const trace::SignatureRule&);

/// Walks the run again and returns the batches of the iterations that the points name: of each point those that have
/// the signature of the first that matches, at most as many as its repeats. Points of further runs have those of their
/// samples, which are of the same data set. Throws InputError (with `source` as the file) where the points are of
/// another run, or their samples of another data set or not known. `repeats`: of each point, >= 1. Also throws as
/// trace::for_each_iteration().
std::vector<PlannedBatch> find_batches(const Selection&, std::span<const std::uint64_t> repeats,
                                       const lengths::Lengths&, const batching::BatchPolicy&,
                                       const trace::SignatureRule&, std::string_view source);

/// The batches as far as the points themselves describe them, with rows where they have any: for runs whose data set is
/// not at hand. `repeats`: of each point, >= 1. A point that leaves a part of its signature open has one batch.
std::vector<PlannedBatch> batches_of_points(const Selection&, std::span<const std::uint64_t> repeats);

/// Makes a plan of batches. `batches`: by point, ascending, at least one of each, as find_batches() and
/// batches_of_points() return them. Same input and parameters: same plan.
Plan make_plan(std::vector<PlannedBatch> batches, const PlanParams&);

/// Samples per rank of every execution. Nothing where they differ: then no loader with one batch size can produce
/// them.
std::optional<std::size_t> batch_size_of(const PlanTask&, std::span<const PlannedBatch>);

/// The dataset rows of a task in the order for a sequential sampler whose batches are then the executions. With several
/// ranks it gives one row to each in turn (PyTorch's DistributedSampler without shuffling).
std::vector<std::uint32_t> rows_in_order(const PlanTask&, std::span<const PlannedBatch>);

}  // namespace seqpoint::select
