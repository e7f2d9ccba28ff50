/// \file
/// What names of steps and ranges have in common.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::profile {

/// What ranges of one loop have in common: `iter:3` and `iter:4` are of one, `newton iter 4` is of another.
std::string without_digits(std::string_view name);

}  // namespace seqpoint::profile
