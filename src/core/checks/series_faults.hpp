/// \file
/// The faults of one time of one configuration.
#pragma once

#include <vector>

#include "core/checks/fault_search.hpp"
#include "core/checks/faults.hpp"
#include "core/profile/readings.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::checks {

/// Leaves out values that are not above 0, and all values after the first kMaxExamined.
inline constexpr std::size_t kMaxExamined = 500;
SeriesFaults find_faults(const select::Selection&, const project::RunEstimator&, std::vector<profile::RowReading>,
                         const AlarmLevel&, Depth);

}  // namespace seqpoint::checks
