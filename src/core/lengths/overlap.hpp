/// \file
/// Samples that two shards share, told by their lengths alone.
#pragma once

#include <cstddef>

#include "seqpoint/lengths.hpp"

namespace seqpoint::lengths {

/// Whether lengths like those of the samples from `begin` up to `end` (exclusive) could not be the same in two data
/// sets by chance: they change often enough, between enough values.
bool is_telling(const Lengths&, std::size_t begin, std::size_t end);

/// With how many samples `second` begins that lie in `first` too, up to the end of one of them, so that the two were
/// cut from one data set and overlap. 0: with none, or with so few that it may be by chance; also where one has pairs
/// and the other has not.
std::size_t shared_samples(const Lengths& first, const Lengths& second);

}  // namespace seqpoint::lengths
