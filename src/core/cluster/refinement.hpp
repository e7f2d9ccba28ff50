/// \file
/// A second look at a selection: what it misses of totals, and how much noise it lets through.
#pragma once

#include "group_search.hpp"

namespace seqpoint {

/// Another selection in place of the first of the last cut's size, if that misses too much of the totals of the model's shapes or has a
/// smaller n_eff than `bins` with as many points, and one is found that does not, or less so, without losing much else. Of more than 100 points the first is taken.
Choosing refined(const GroupSearch&, Choosing first);

}  // namespace seqpoint
