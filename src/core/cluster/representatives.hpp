/// \file
/// Which signature of each cluster is profiled.
#pragma once

#include <cstddef>
#include <vector>

#include "weight_fit.hpp"

namespace seqpoint {

/// Improves the groups that the problem is set to, group p one of `members[p]`, and leaves it at the best that was found: one
/// group after another is replaced while that lowers the objective; and that is begun again up to `restarts` times from the
/// best, with two groups drawn anew (iterated local search: Lourenco, Martin and Stutzle 2003). Deterministic: ties stay with what
/// was there first, and the draws are the same every time. Large clusters and many points are searched less thoroughly, so
/// that it takes some tenths of a second at most.
void find_representatives(WeightProblem& problem, const std::vector<std::vector<std::size_t>>& members, int restarts);

/// For every point the groups of its cluster that could best take its place alone, best first. The problem is left as it was.
std::vector<std::vector<std::size_t>> alternates_of(WeightProblem& problem, const std::vector<std::vector<std::size_t>>& members);

}  // namespace seqpoint
