/// \file
/// Iterations whose measurements have other work in them: a validation, a checkpoint.
#pragma once

#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

/// Gives interrupted iterations the mean of the others of their signature, or of the nearest one that another has.
/// Without another iteration they stay as they are. `interrupted`: one per iteration.
void fill_interrupted(Trace&, const std::vector<bool>& interrupted);

}  // namespace seqpoint::trace
