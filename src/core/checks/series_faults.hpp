/// \file
/// The faults of one time of one configuration.
#pragma once

#include <vector>

#include "core/checks/fault_search.hpp"
#include "core/checks/faults.hpp"
#include "core/profile/readings.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::checks {

/// Measurements after the first so many are left out.
inline constexpr std::size_t kMaxExamined = 500;
/// Searches the measurements of one time of one configuration for faults. Leaves out values that are not above 0;
/// without any other the result is empty.
SeriesFaults find_faults(const select::Selection&, const project::RunEstimator&, std::vector<profile::RowReading>,
                         const AlarmLevel&, Depth);

}  // namespace seqpoint::checks
