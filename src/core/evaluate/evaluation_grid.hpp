/// \file
/// What an evaluation compares: methods and their numbers of points.
#pragma once

#include <optional>
#include <vector>

#include "seqpoint/evaluate/evaluation.hpp"

namespace seqpoint::evaluate {

/// The methods named, all where none is. Throws UsageError for an unknown name.
std::vector<const select::Method*> methods_to_score(const EvaluateParams&);

/// Every number of points that the method can be asked for; nothing stands for its own rule.
std::vector<std::optional<std::uint64_t>> numbers_of_points_to_score(const select::Method&, const EvaluateParams&);

}  // namespace seqpoint::evaluate
