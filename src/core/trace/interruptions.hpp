/// \file
/// Iterations whose measurements include other work: a validation, a checkpoint.
#pragma once

#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

/// Replaces every metric's values of interrupted iterations, also NaN, by the mean over the uninterrupted iterations of
/// the same shape or, without any, of the nearest shape (relative_distance()). A metric that no uninterrupted iteration
/// has is unchanged. `interrupted`: one per iteration.
void fill_interrupted(Trace&, const std::vector<bool>& interrupted);

}  // namespace seqpoint::trace
