/// \file
/// The result of a run: projection, page and table.
#pragma once

#include "cli/job/run_state.hpp"

namespace seqpoint::cli::job {

/// Writes and reports the result, with the verdicts of the last look, which are of another confidence than its
/// intervals. kGateFailed if a gate fails or measurements are insufficient, else kDone.
Exit write_result(RunState&, Outcome&);

}  // namespace seqpoint::cli::job
