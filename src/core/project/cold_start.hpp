/// \file
/// Cold-start cost of shapes, from measured first executions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/projection.hpp"

namespace seqpoint::project {

/// The mean, over points and processes, of a point's first execution in a process minus the mean of its measurements
/// there, or 0 if it is not slower. `run`: whose shapes occur first. Nothing if no process measured a point whose first
/// execution it has.
std::optional<ColdStart> cold_start_of(const profile::Measurements&, std::size_t metric, const trace::RunSummary& run);

/// The cold start of a configuration in that metric; null if there is none.
const ColdStart* find_cold_start(const ConfigurationProjection&, std::string_view metric);

/// Positions of points with a first execution but without a measurement in the same process.
std::vector<std::size_t> unjoined_points(const profile::Measurements&, std::size_t metric);

/// Whether it is a large enough share of a total to also show the total including it.
bool is_worth_adding(const ColdStart&, const MetricProjection& total);

}  // namespace seqpoint::project
