/// \file
/// Gates (limits that the user set) and their verdicts, in projections and evaluations.
#pragma once

#include "io/artifacts/json.hpp"
#include "seqpoint/project/gate.hpp"

namespace seqpoint::io::artifacts {

/// Adds nothing where the user set no gate.
void add_gates(Json&, const project::Gates&);
/// The gates and verdicts of an artefact.
project::Gates read_gates(const JsonReader&);

}  // namespace seqpoint::io::artifacts
