/// \file
/// Weights of the points once those of the points that were not measured have moved.
#pragma once

#include <vector>

#include "seqpoint/selection.hpp"

namespace seqpoint {

/// Of each point; 0 where it was not measured. All 0 where none was.
std::vector<double> weights_where(const Selection& selection, const std::vector<bool>& measured);

}  // namespace seqpoint
