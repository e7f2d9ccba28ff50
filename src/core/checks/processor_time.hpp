/// \file
/// Times of iterations beside the processor time of the same ones.
#pragma once

#include <optional>
#include <span>

#include "core/profile/measure.hpp"

namespace seqpoint::checks {

/// That repeats of `runtime_s` scatter otherwise than those of `cpu_s` in the same rows: what one of them has seen is
/// not the iterations. Logarithms, less the means of their point and of their session, are compared by an F test at one
/// profile in a thousand, which is conservative where the iterations themselves differ, as both times then move
/// together. And one has to scatter twice as much as the other: from there on most of its variance is not the other's.
/// Both have to hold without the point that shows it most, as a single stray measurement is no scatter. Rows of a GPU
/// are left out: its host waits, and iterations need not cost it what they cost the GPU.
std::optional<Finding> finding_about_processor_time(const profile::Measurements&,
                                                    std::span<const profile::ProfileTable> files);

}  // namespace seqpoint::checks
