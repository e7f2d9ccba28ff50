/// \file
/// Projections of builds that were measured at points of their own, compared.
#pragma once

#include <span>

#include "core/project/projection.hpp"

namespace seqpoint::measuring {

/// One projection with the configurations of all builds; `builds` is not empty. All else is from the first build,
/// including the speedups of its configurations. The speedups of later builds are over the first configuration of the
/// first build, for the metrics that both have; errors are independent, so no shared error cancels. Runs may differ,
/// for example if one build has larger batches: the time of an epoch is compared.
project::Projection joined(std::span<const project::Projection> builds);

}  // namespace seqpoint::measuring
