/// \file
/// Limits and how the figures stood to them, in projections and evaluations.
#pragma once

#include "io/artifacts/json.hpp"
#include "seqpoint/project/gate.hpp"

namespace seqpoint {

/// Adds nothing where the user set no gate.
void add_gates(Json&, const Gates&);
/// Those of an artefact that was written before.
Gates read_gates(const JsonReader&);

}  // namespace seqpoint
