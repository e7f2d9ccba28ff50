/// \file
/// The epochs of a run of several, each projected from the points of all.
#pragma once

#include <span>
#include <vector>

#include "core/project/projection.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::measuring {

/// Totals of each epoch of a run, in order: one if the trace has no numbers of epochs.
std::vector<trace::RunSummary> epochs_of(const trace::Trace&);

/// Projections of each epoch of the run that the points are for.
std::vector<project::Projection> project_epochs(const trace::Trace&, const select::Selection&,
                                                std::span<const project::NamedMeasurements>,
                                                const project::ProjectParams&);

}  // namespace seqpoint::measuring
