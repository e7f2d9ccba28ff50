/// \file
/// Adds to a projection what a run costs beside its iterations.
#pragma once

#include "seqpoint/project/projection.hpp"

namespace seqpoint::project {

/// Adds `per_epoch_s` for every epoch and `first_seen_s` for every unique signature of the run to every total of
/// seconds and to throughput; speedups become those of the new totals. Both are seconds, >= 0, and taken as exact, so
/// intervals of totals are only moved. Without `first_seen_s` it is what was measured of each time
/// (ConfigurationProjection::first_seen), with its interval, if it was in every configuration that has the time; with
/// it what was measured is left out. Rates stay those of the iterations, and a note says so. Throws ParameterError
/// where no configuration has a time to add what is given to.
void add_overheads(Projection&, const trace::RunSummary&, double per_epoch_s = 0,
                   std::optional<double> first_seen_s = {});

}  // namespace seqpoint::project
