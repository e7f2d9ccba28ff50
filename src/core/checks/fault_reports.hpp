/// \file
/// Faults of times beside the findings about the same times: each is reported once.
#pragma once

#include <string>
#include <vector>

#include "core/checks/checks.hpp"

namespace seqpoint::checks {

/// Reports the faults of one configuration. Adds a finding about the most certain fault of `main_time`, if its
/// probability is below kFalseWarnings, it changes cost by at least kMinTrend (misplaced times by any amount), and no
/// finding explains it. Removes from `times` the faults that `found` already has, at the same row or point.
void report_faults(std::vector<Finding>& found, std::vector<TimeFaults>& times, std::size_t configuration,
                   const std::string& main_time);

}  // namespace seqpoint::checks
