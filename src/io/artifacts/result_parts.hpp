/// \file
/// Parts of the JSON of results.
#pragma once

#include "core/findings/diagnosis.hpp"
#include "core/project/projection.hpp"
#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// The value of "explanation" in a projection's JSON, which --explain adds: an object with findings of its own.
Json explanation_json(const findings::Diagnosis&);
/// Adds "gates": every check, and whether the check passes. Adds nothing if there are no checks.
void add_gates(Json&, const project::Gates&);

}  // namespace seqpoint::io::artifacts
