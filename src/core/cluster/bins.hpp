/// \file
/// What other selections are held against: the bins of the paper's method.
#pragma once

#include <cstdint>

#include "population.hpp"

namespace seqpoint {

/// n_eff = (sum w)^2 / sum w^2 of the fewest bins that hold exactly so many points; 0 where none of up to four times as many bins do,
/// or of as many as can be cut in some tens of milliseconds.
double effective_of_bins(const Population&, std::uint64_t points);

}  // namespace seqpoint
