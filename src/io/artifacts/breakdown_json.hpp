/// \file
/// The break-down within a projection's JSON.
#pragma once

#include "io/artifacts/json.hpp"
#include "seqpoint/project/breakdown.hpp"

namespace seqpoint::io::artifacts {

Json breakdown_json(const project::Breakdown&);

}  // namespace seqpoint::io::artifacts
