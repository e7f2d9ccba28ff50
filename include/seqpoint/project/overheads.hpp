/// \file
/// What a run costs beside its iterations: added to a projection after it was made.
#pragma once

#include "seqpoint/project/projection.hpp"

namespace seqpoint::project {

/// `per_epoch_s` for every epoch, and `first_seen_s` for every unique signature of the run, to every total of seconds
/// and to throughput; speedups are of the new totals. Both are taken as known exactly, so intervals of totals move with
/// them. Rates stay those of the iterations, and `notes` says so. Both costs >= 0. Throws UsageError where no
/// configuration has a time.
void add_overheads(Projection&, const trace::RunSummary&, double per_epoch_s, double first_seen_s);

}  // namespace seqpoint::project
