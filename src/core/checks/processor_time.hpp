/// \file
/// Times of iterations compared with their processor times.
#pragma once

#include <optional>
#include <span>

#include "core/profile/measure.hpp"

namespace seqpoint::checks {

/// Reports repeats of `runtime_s` that are much noisier, or much less noisy, than `cpu_s` in the same rows: one column
/// then measured something other than the iterations. Logarithms, minus the means of their point and of their process,
/// are compared by an F test at one profile in a thousand, which is conservative if the iterations themselves differ,
/// because both times then move together. In addition, the standard deviation of one column must be twice the other's:
/// from there on most of its variance is not shared. Both conditions must hold without the point that shows the
/// difference most, because a single outlier is not noise. Rows of a GPU are left out: the host waits for the GPU, so
/// its processor time need not follow the iterations.
std::optional<Finding> finding_about_processor_time(const profile::Measurements&,
                                                    std::span<const profile::ProfileTable> files);

}  // namespace seqpoint::checks
