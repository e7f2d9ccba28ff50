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

/// An iteration of the run that is profiled for a point.
struct PlannedBatch {
  std::size_t point = 0;               ///< whose it is
  std::uint64_t iteration = 0;         ///< the run's own number
  PointKey signature;                  ///< what is known of it: all of it where the batches of the run were made again
  std::vector<std::uint32_t> rows;     ///< dataset rows, rank after rank; empty where not known
  std::vector<std::size_t> rank_ends;  ///< one a rank: where its batch ends in `rows`
  bool padded_to_longest = true;       ///< false: the sampler pads, cuts or packs by a rule of its own

  /// Samples of each rank; nothing where ranks differ, or no row is known.
  std::optional<std::size_t> samples_per_rank() const;
};

/// One batch to run.
struct BatchExecution {
  std::size_t point = 0;     ///< index of the point
  std::uint64_t repeat = 0;  ///< 0-based
  bool warmup = false;       ///< not to be measured
  std::size_t batch = 0;     ///< index of the batch
  friend bool operator==(const BatchExecution&, const BatchExecution&) = default;
};

/// Points that one process runs, ascending, and its batches in order: warm-up with the largest of them, then the
/// points, again and again: a job that ends early has measured every point, and what drifts meanwhile hits all of them
/// alike.
struct PlanTask {
  std::vector<std::size_t> points;
  std::vector<BatchExecution> executions;
};

/// What the user decides.
struct PlanParams {
  std::uint64_t warmup = 1;            ///< batches before those that are measured
  std::vector<std::uint64_t> repeats;  ///< of each point, >= 1
  std::uint64_t points_per_task = 1;   ///< points a task, >= 1
};

/// A plan: the whole of it for one process, and the same in parts, so that all points can run at once.
struct Plan {
  std::vector<PlannedBatch> batches;  ///< by point, at least one each; its repeats take them in turn
  PlanTask single_process;
  std::vector<PlanTask> tasks;  ///< of points that have as many samples a rank
};

/// Makes the batches of the run again and looks up those that the points name: of each point the iterations that have
/// the signature of the first that matches, at most as many as its repeats. Throws InputError (with `source` as the
/// file) where these points are of another run.
std::vector<PlannedBatch> find_batches(const Selection&, std::span<const std::uint64_t> repeats,
                                       const lengths::Lengths&, const batching::BatchPolicy&,
                                       const trace::SignatureRule&, std::string_view source);

/// What the points themselves say of their batches, rows included where they have any.
std::vector<PlannedBatch> batches_of_points(const Selection&, std::span<const std::uint64_t> repeats);

/// `batches` by point, ascending.
Plan make_plan(std::vector<PlannedBatch> batches, const PlanParams&);

/// Samples a rank of all steps, of which the last may have fewer; nothing where they differ: then no loader of one
/// batch size can cut them.
std::optional<std::size_t> batch_size_of(const PlanTask&, std::span<const PlannedBatch>);

/// The dataset rows of a task in the order in which a sequential sampler must find them, so that its batches are the
/// steps. With several ranks it deals one row to each in turn (PyTorch's DistributedSampler without shuffling).
std::vector<std::uint32_t> rows_in_order(const PlanTask&, std::span<const PlannedBatch>);

}  // namespace seqpoint::select
