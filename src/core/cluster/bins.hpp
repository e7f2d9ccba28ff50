/// \file
/// What other selections are held against: the bins of the paper's method.
#pragma once

#include <cstdint>
#include <vector>

#include "population.hpp"

namespace seqpoint {

/// The fewest bins of equal width that hold exactly so many points; none where none of up to four times as many bins do, or of as many
/// as can be cut in some tens of milliseconds.
std::vector<Stratum> bins_that_hold(const Population&, std::uint64_t points);

}  // namespace seqpoint
