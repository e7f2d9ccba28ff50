/// \file
/// Checks whether a projection that was read is valid.
#pragma once

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// Throws InputError, at the wrong key, for an impossible name or figure.
void require_valid(const project::Projection&, const JsonReader&);

}  // namespace seqpoint::io::artifacts
