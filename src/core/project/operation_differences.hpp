/// \file
/// In which operations two builds differ, by the processes that profiled them.
#pragma once

#include <span>

#include "core/project/projection.hpp"

namespace seqpoint::project {

/// The break-downs of a configuration by each of its processes alone.
struct BreakdownsByProcess {
  std::string name;                                 ///< of the configuration
  std::vector<ConfigurationBreakdown> processes{};  ///< one each; without rows: it was not profiled
  select::BetweenProcesses between{};               ///< how much such processes usually differ
  bool agree = true;                                ///< whether they do
};

/// Sets BreakdownRow::difference, half_width and is_cause of all rows of configurations other than the baseline, by
/// rounds: the n-th processes of both, if both were profiled. An operation that a process did not run took 0 s there;
/// one that only the baseline has gets a row of 0 s. Operations below 1 % of the baseline's time in both are not
/// compared. `change` stays only where the difference is beyond its half-width. `confidence`: of all intervals of a
/// configuration together.
void set_differences(Breakdown&, std::span<const BreakdownsByProcess>, const std::string& baseline, double confidence);

}  // namespace seqpoint::project
