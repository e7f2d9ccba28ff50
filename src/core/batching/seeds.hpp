/// \file
/// From --seed to what each library's generator takes.
#pragma once

#include <cstdint>

#include "seqpoint/batches.hpp"

namespace seqpoint {

/// What random.seed(seed + added) makes of a Python integer: its absolute value. A seed of 2^63 or more stands for the
/// negative number that it is modulo 2^64.
std::uint64_t python_seed(const BatchPolicy& policy, std::uint64_t added = 0);

/// The same for numpy.random.seed, which takes 0 to 2^32 - 1; throws UsageError for any other.
std::uint32_t numpy_seed(const BatchPolicy& policy, std::uint64_t added = 0);

}  // namespace seqpoint
