/// \file
/// ESPnet2: the batches of a data set.
#pragma once

#include <vector>

#include "core/batching/groups.hpp"
#include "seqpoint/batches.hpp"

namespace seqpoint::batching::espnet {

/// As --batch-type has them, in the sampler's own order, of all ranks together. Throws ParameterError.
std::vector<Rows> make_batches(const lengths::Lengths& lengths, const BatchPolicy& policy);

}  // namespace seqpoint::batching::espnet
