/// \file
/// Projections of builds that were measured at points of their own, compared.
#pragma once

#include <span>

#include "core/project/projection.hpp"

namespace seqpoint::run {

/// One projection of all configurations, compared with the first one's. Their runs may differ, for example if one build
/// has larger batches: the time of an epoch is compared. They are measured independently, so no shared error cancels.
project::Projection joined(std::span<const project::Projection> builds);

}  // namespace seqpoint::run
