/// \file
/// Files that hold every iteration of a run.
#pragma once

#include <span>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Measurements::run_totals of these files. `metrics`: of all files; `warmup`: rows of each that are left out.
std::vector<std::vector<double>> run_totals_of(std::span<const ProfileTable> files, const select::Selection&,
                                               const std::vector<std::string>& metrics, std::uint64_t warmup);

}  // namespace seqpoint::profile
