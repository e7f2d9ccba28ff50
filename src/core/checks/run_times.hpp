/// \file
/// Times of whole runs that no iteration can have taken, and others that it hardly can.
#pragma once

#include <string>
#include <vector>

#include "core/checks/implausible_times.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::checks {

/// What is odd about a measured column of a run, which was read from `source`; nothing where it is no time.
std::vector<Finding> findings_about(const trace::Trace&, const trace::Statistic&, const std::string& source);

/// Whether two runs have the same times, to the last digit. False where clocks are so coarse that this may be chance.
bool same_times(const trace::Statistic&, const trace::Statistic&);
/// The median over iterations of what a time of the first run is beside the second's; 1 where none can be compared.
double time_ratio(const trace::Statistic&, const trace::Statistic&);

}  // namespace seqpoint::checks
