/// \file
/// Whether times are so fine that a clock does not repeat them by chance.
#pragma once

namespace seqpoint::profile {

/// Of at least four significant digits.
bool is_fine(double time);

}  // namespace seqpoint::profile
