/// \file
/// The break-down within a projection's JSON.
#pragma once

#include "json.hpp"
#include "seqpoint/breakdown.hpp"

namespace seqpoint {

Json breakdown_json(const Breakdown&);

}  // namespace seqpoint
