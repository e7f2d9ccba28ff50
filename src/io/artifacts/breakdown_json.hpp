/// \file
/// The break-down within a projection's JSON.
#pragma once

#include "io/artifacts/json.hpp"
#include "seqpoint/profile/breakdown.hpp"

namespace seqpoint {

Json breakdown_json(const Breakdown&);

}  // namespace seqpoint
