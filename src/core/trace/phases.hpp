/// \file
/// A run cut into phases, for training whose cost drifts (docs/method.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::trace {

/// The positions at which phases of nearly equal size begin: floor(h n / N) for h = 0, ..., N - 1, with n iterations
/// and N phases; 1 <= N <= n.
std::vector<std::size_t> phase_begins(std::size_t iterations, std::uint64_t phases);

/// The iterations at positions [begin, end) of a run, with all columns and metrics. Trace::iteration has their numbers
/// in the run.
Trace iterations_between(const Trace& run, std::size_t begin, std::size_t end);

/// The phase, from 0, of an iteration, by its number in the run; 0 in a run without phases. Numbers before the first
/// phase belong to the first phase, numbers after the run to the last.
std::uint64_t phase_of(const RunSummary& run, std::uint64_t iteration);

}  // namespace seqpoint::trace
