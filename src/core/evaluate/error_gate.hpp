/// \file
/// Stage 7: whether the errors of methods are within a limit.
#pragma once

#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/project/projection.hpp"

namespace seqpoint::evaluate {

/// Checks the RMS error of every method on every configuration, and on the other run, against a limit; both are shares
/// of the true total. A method that cannot predict the other run is unmeasured there.
std::vector<project::Check> check_errors(const Evaluation&, double limit);
/// The requested number of points: a number, "auto" for the method's own rule, "advised" if also measured as advised.
/// Empty for methods that take no number, and for points chosen elsewhere.
std::string points_asked_text(const MethodScore&);
/// A method with its options: "bins (on v1), points 8"; without the parts that it lacks.
std::string label_of(const MethodScore&);

}  // namespace seqpoint::evaluate
