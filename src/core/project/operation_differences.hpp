/// \file
/// In which operations two builds differ, by the processes that profiled them.
#pragma once

#include <span>

#include "core/project/projection.hpp"

namespace seqpoint::project {

/// The break-downs of a configuration by each of its processes alone.
struct BreakdownsByProcess {
  std::string name;                               ///< of the configuration
  std::vector<ConfigurationBreakdown> processes;  ///< one each
};

/// Sets BreakdownRow::difference and half_width of all rows of configurations other than the baseline: the difference
/// of the means over processes, with equal variances of both (Student's t). An operation that a process did not run
/// took 0 s there; one that only the baseline has gets a row of 0 s. All intervals of a configuration together have the
/// confidence (within_all()); operations below 1 % of the baseline's time in both have none.
void set_differences(Breakdown&, std::span<const BreakdownsByProcess>, const std::string& baseline, double confidence);

}  // namespace seqpoint::project
