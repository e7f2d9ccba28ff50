/// \file
/// The faults of one time of one configuration.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/diagnose/diagnosis.hpp"
#include "core/diagnose/fault_search.hpp"
#include "core/profile/readings.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::diagnose {

struct SeriesFaults {
  std::vector<FoundFault> findings;
  std::set<Fault> seen;             ///< faults that could have been found
  std::vector<std::string> unseen;  ///< as Series has it
  std::vector<Limit> limits;        ///< as Series has them
};

/// Values that are not above 0 are left out, and so is what comes after the
/// first kMostExamined.
inline constexpr std::size_t kMostExamined = 500;
SeriesFaults find_faults(const select::Selection&, const project::RunEstimator&, std::vector<profile::RowReading>,
                         const AlarmLevel&, Depth);

}  // namespace seqpoint::diagnose
