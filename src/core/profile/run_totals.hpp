/// \file
/// Files that contain every iteration of a run.
#pragma once

#include <span>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Measurements::run_totals for these files. `metrics`: of all files; `warmup`: number of rows per file to leave out.
std::vector<std::vector<double>> run_totals_of(std::span<const ProfileTable> files, const select::Selection&,
                                               const std::vector<std::string>& metrics, std::uint64_t warmup);

}  // namespace seqpoint::profile
