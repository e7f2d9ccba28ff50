/// \file
/// Whether first executions of points count in a run, and what processes then measure.
#pragma once

#include <string>

#include "cli/job/run_state.hpp"

namespace seqpoint::cli::job {

/// After one process of each build: says how much longer first executions took. If they count in all builds, further
/// processes run twice as many points once each. Does nothing where points were asked for, and if it was decided.
void decide_first_executions(RunState&, const Outcome&);
/// What was decided, for the result; empty: nothing was.
std::string text_of_first(const RunState&, const Outcome&);

}  // namespace seqpoint::cli::job
