/// \file
/// A run from its first job to its result.
#pragma once

#include "cli/job/run_state.hpp"

namespace seqpoint::cli::job {

/// Collects orders, points and plans, then measures in processes by turns until the rule stops it, then writes the
/// result.
Exit measure(RunState&);
/// Times a whole epoch of each build and, if all builds have been measured, reports the error of their projections.
/// Recorded epochs are kept.
Exit record(RunState&);

}  // namespace seqpoint::cli::job
