/// \file
/// Samples that two shards share, told by their lengths alone.
#pragma once

#include <cstddef>

#include "seqpoint/lengths/lengths.hpp"

namespace seqpoint::lengths {

/// Whether lengths like these are the same by chance in no data set: they change often, between many values.
bool is_telling(const Lengths&, std::size_t begin, std::size_t end);

/// With how many samples the second begins that lie in the first too, up to the end of one of them. 0: with none, or
/// with so few that it may be by chance.
std::size_t shared_samples(const Lengths& first, const Lengths& second);

}  // namespace seqpoint::lengths
