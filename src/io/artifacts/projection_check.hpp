/// \file
/// Whether the figures of a projection that was read add up.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// Throws InputError, at the key that is to blame, where a figure contradicts another or cannot be.
void require_consistent(const ProjectionFile&, const JsonReader&);
/// The same of its gates: their figures are those of the projection, unless they compare it with an earlier one, and
/// their verdicts follow from them.
void require_consistent(const project::Gates&, const project::Projection&, const JsonReader&);

/// Throws InputError where a projection of these points says of them what they are not, or its totals are not those of
/// their weights and the measurements.
void require_agreement(const ProjectionFile&, const select::Selection&);

/// Points that were measured in each metric; nothing where there are no measurements.
std::optional<std::set<std::string>> points_measured(const project::ConfigurationProjection&);

}  // namespace seqpoint::io::artifacts
