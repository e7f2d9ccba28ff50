/// \file
/// Sums that equal NumPy's to the last bit.
#pragma once

#include <span>

namespace seqpoint {

/// numpy.sum of doubles: pairwise, in blocks of 128 with eight running sums (numpy/core/src/umath/loops_utils.h.src); 0
/// without values.
double numpy_sum(std::span<const double> values);

}  // namespace seqpoint
