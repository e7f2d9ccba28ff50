/// \file
/// Iterations whose measurements include other work: a validation, a checkpoint.
#pragma once

#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

/// Replaces the values of interrupted iterations by the mean of the others of their shape, or of the nearest shape that
/// another has. Without another iteration they are unchanged. `interrupted`: one per iteration.
void fill_interrupted(Trace&, const std::vector<bool>& interrupted);

}  // namespace seqpoint::trace
