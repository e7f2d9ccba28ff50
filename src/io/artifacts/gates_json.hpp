/// \file
/// Limits and how the figures stood to them, in projections and evaluations.
#pragma once

#include "io/artifacts/json.hpp"
#include "seqpoint/project/gate.hpp"

namespace seqpoint::io::artifacts {

/// Adds nothing where the user set no gate.
void add_gates(Json&, const project::Gates&);
/// Those of an artefact that was written before.
project::Gates read_gates(const JsonReader&);

}  // namespace seqpoint::io::artifacts
