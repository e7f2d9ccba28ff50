/// \file
/// Points beside those that have been measured already.
#pragma once

#include <cstdint>

#include "core/select/select.hpp"

namespace seqpoint::select {

/// The points of `measured`, which are shapes of one phase, and further ones up to `points` in all: each lowers V most
/// beside those before it. Weights are the best for all of them; a measured point keeps a weight above 0. Points are
/// ascending by shape; those of `measured` keep their ids, and new ones go on counting. Without batches and repeats.
Selection with_further_points(const Selection& measured, const trace::Trace& run, std::uint64_t points);

}  // namespace seqpoint::select
