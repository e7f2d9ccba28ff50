/// \file
/// Distance between two shapes.
#pragma once

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

/// The sum over dimensions of their difference as a share of the larger: 0 for equal shapes.
double relative_distance(const Shape&, const Shape&);

}  // namespace seqpoint::trace
