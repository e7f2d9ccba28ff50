/// \file
/// Files that contain every iteration of a run.
#pragma once

#include <span>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Measurements::run_totals for these files: by metric, a total for each process. Every metric's list is empty if
/// `warmup`, the number of rows per file to leave out, is above 0. `metrics`: of all files.
std::vector<std::vector<double>> run_totals_of(std::span<const ProfileTable> files, const select::Selection&,
                                               const std::vector<std::string>& metrics, std::uint64_t warmup);

}  // namespace seqpoint::profile
