/// \file
/// Distance between two shapes.
#pragma once

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

/// The sum over all dimensions of the difference as a share of the larger value, each 0 to 1: 0 for equal shapes.
double relative_distance(const Shape&, const Shape&);

}  // namespace seqpoint::trace
