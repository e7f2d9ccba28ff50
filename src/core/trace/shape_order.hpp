/// \file
/// The iterations of a run, sorted by shape.
#pragma once

#include <cstddef>
#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

/// Positions of a run's iterations, ascending by shape (dimension by dimension); ties in the order of iterations.
std::vector<std::size_t> positions_by_shape(const Trace& run);

/// Positions of a run's iterations, ascending by the value of length_dimension(); ties in the order of iterations.
std::vector<std::size_t> positions_by_length(const Trace& run);

}  // namespace seqpoint::trace
