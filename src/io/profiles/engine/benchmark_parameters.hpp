/// \file
/// Parameters that benchmarks store with their times.
#pragma once

#include "io/json/document.hpp"
#include "seqpoint/measure.hpp"

namespace seqpoint::io::profiles::engine {

/// Sets what the members of an object (`{"seqlen": 42}`, numbers or text) say of a step.
void identify_by_parameters(profile::StepIdentity& identity, const io::json::Json& parameters);

}  // namespace seqpoint::io::profiles::engine
