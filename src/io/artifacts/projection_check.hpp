/// \file
/// Checks whether a projection that was read is valid.
#pragma once

#include "core/project/projection.hpp"
#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// Throws InputError, at the wrong key, for a configuration or point that is listed twice, a baseline that is no
/// configuration, a point without measurements, and a mean outside the smallest and largest measurement.
void require_valid(const project::Projection&, const JsonReader&);

}  // namespace seqpoint::io::artifacts
