/// \file
/// Stage 7: whether the errors of methods are within a limit.
#pragma once

#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/project/projection.hpp"

namespace seqpoint::evaluate {

/// Checks the RMS error of every method on every configuration, and on the other run, against a limit; both are shares
/// of the truth. A method that cannot predict the other run is unmeasured there.
std::vector<project::Check> check_errors(const Evaluation&, double limit);
/// What it was asked for: a number of points, "auto" for its own rule, "advised" for measurements as advised, too.
/// Empty for methods that are not asked.
std::string points_asked_text(const MethodScore&);
/// A method with its options: "bins (on v1), points 8".
std::string label_of(const MethodScore&);

}  // namespace seqpoint::evaluate
