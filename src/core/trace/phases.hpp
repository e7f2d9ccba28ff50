/// \file
/// A run cut into stretches, for training whose cost drifts: METHOD 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seqpoint/trace/trace.hpp"

namespace seqpoint::trace {

/// Where each of `phases` stretches of nearly equal size begins: floor(h n / N) of `iterations` rows; 1 <= phases <=
/// iterations.
std::vector<std::size_t> phase_begins(std::size_t iterations, std::uint64_t phases);

/// The iterations [begin, end) of a run, under their numbers in the run.
Trace iterations_between(const Trace& run, std::size_t begin, std::size_t end);

/// The phase that an iteration lies in, by its number in the run; 0 in a run that is not cut. What comes before the
/// first phase is counted to it, what comes after the last to that.
std::uint64_t phase_of(const RunSummary& run, std::uint64_t iteration);

}  // namespace seqpoint::trace
