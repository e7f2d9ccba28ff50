/// \file
/// Whether a projection that was read is one.
#pragma once

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// Throws InputError, at the key that is to blame, where a name or a figure cannot be.
void require_valid(const project::Projection&, const JsonReader&);

}  // namespace seqpoint::io::artifacts
