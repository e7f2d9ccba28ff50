/// \file
/// Whether the figures of a projection that was read add up.
#pragma once

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// Throws InputError, at the key that is to blame, where a figure contradicts another or cannot be.
void require_consistent(const ProjectionFile&, const JsonReader&);

}  // namespace seqpoint::io::artifacts
