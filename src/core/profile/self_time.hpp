/// \file
/// Host operators' self time within the steps of a timeline.
#pragma once

#include <vector>

#include "core/profile/timeline.hpp"

namespace seqpoint::profile {

/// Fills `operators` of the steps, which are those of `timeline.windows`, one each. Sorts `timeline.host`. Does nothing
/// where no host operators were recorded.
void add_self_times(Timeline& timeline, std::vector<ProfiledStep>& steps);

}  // namespace seqpoint::profile
