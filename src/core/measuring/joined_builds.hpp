/// \file
/// Projections of builds that were measured at points of their own, compared.
#pragma once

#include <span>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/project/projection.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::measuring {

/// One projection with the configurations of all builds; `builds` is not empty. All else is from the first build,
/// including the speedups of its configurations. The speedups of later builds are over the first configuration of the
/// first build, for the metrics that both have; errors are independent, so no shared error cancels. Runs may differ,
/// for example if one build has larger batches: the time of an epoch is compared.
project::Projection joined(std::span<const project::Projection> builds);

// --- Builds whose starts draw different batches of one data set

/// An order with the rows of its batches. Owned by the caller.
struct OrderOfBuild {
  const trace::Trace& trace;
  const batching::RecordedOrder& rows;  ///< of as many batches
};

/// Whether two orders may be draws of the same data: both have as many batches of each size, the same longest batch
/// and, but for one batch, as many unpadded tokens, and no batch is longer than its rows can be. A row is at most as
/// long as its batch in the other order. At least half of the batches of each have only rows that the other one has.
/// Orders of several ranks, and without padding, are not compared: false.
bool draw_the_same_data(const OrderOfBuild&, const OrderOfBuild&);

// --- The epochs of a run of several, each projected from the points of all

/// Totals of each epoch of a run, in order: one if the trace has no numbers of epochs.
std::vector<trace::RunSummary> epochs_of(const trace::Trace&);

/// Projections of each epoch of the run that the points are for.
std::vector<project::Projection> project_epochs(const trace::Trace&, const select::Selection&,
                                                std::span<const project::NamedMeasurements>,
                                                const project::ProjectParams&);

}  // namespace seqpoint::measuring
