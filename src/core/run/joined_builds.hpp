/// \file
/// Builds that were measured at points of their own, side by side.
#pragma once

#include <span>

#include "core/project/projection.hpp"

namespace seqpoint::run {

/// One projection of all configurations, compared with the first one's. Their runs may differ, as where one build has
/// larger batches: what is compared is what an epoch takes. Measured on their own, they share nothing that would
/// cancel.
project::Projection joined(std::span<const project::Projection> builds);

}  // namespace seqpoint::run
