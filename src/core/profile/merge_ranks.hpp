/// \file
/// merge_ranks() of core/profile/measure.hpp, with what it finds.
#pragma once

#include <string>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Adds a finding where several steps or measurements are not of every rank: what is left of a slow one that ended
/// early looks fast. One may be of a step that the ranks had not finished when the job ended: a note says so.
std::vector<std::string> merge_ranks(std::vector<StepProfile>& profiles, std::vector<Finding>& found);
std::vector<std::string> merge_ranks(std::vector<ProfileTable>& tables, std::vector<Finding>& found);

}  // namespace seqpoint::profile
