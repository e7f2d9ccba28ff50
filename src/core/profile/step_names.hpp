/// \file
/// Common parts of step and range names.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::profile {

/// The name without its numbers, equal for ranges of one loop: `iter:3` and `iter:4` match, `newton iter 4` does not.
std::string without_digits(std::string_view name);

}  // namespace seqpoint::profile
