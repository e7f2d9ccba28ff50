/// \file
/// Host operators' self time within the steps of a timeline.
#pragma once

#include <vector>

#include "core/profile/timeline.hpp"

namespace seqpoint::profile {

/// Fills `operators` of the steps, one step for each of `timeline.windows`, with counts of calls that start in the
/// window and with self times, by the rules of attribute_to_steps(). Sorts `timeline.host`. Does nothing if no host
/// operators were recorded.
void add_self_times(Timeline& timeline, std::vector<ProfiledStep>& steps);

}  // namespace seqpoint::profile
