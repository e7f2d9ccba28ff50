/// \file
/// merge_ranks() of core/profile/measure.hpp, with its findings.
#pragma once

#include <string>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Adds a finding if several steps or measurements are missing on some rank: the rest of a slow rank that ended early
/// looks fast. A single one may be a step that the ranks had not finished when the job ended: a note reports it.
std::vector<std::string> merge_ranks(std::vector<StepProfile>& profiles, std::vector<Finding>& found);
std::vector<std::string> merge_ranks(std::vector<ProfileTable>& tables, std::vector<Finding>& found);

}  // namespace seqpoint::profile
