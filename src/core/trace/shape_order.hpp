/// \file
/// The iterations of a run, sorted by shape.
#pragma once

#include <cstddef>
#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

/// Positions of a run's iterations, ascending by shape; ties in their order.
std::vector<std::size_t> positions_by_shape(const Trace& run);

/// The same ascending by length_dimension().
std::vector<std::size_t> positions_by_length(const Trace& run);

}  // namespace seqpoint::trace
