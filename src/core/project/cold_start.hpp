/// \file
/// What shapes cost when a process runs them for the first time, from first executions that were measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/projection.hpp"

namespace seqpoint::project {

/// The mean, over points and processes, of a point's first execution in a process less the mean of its measurements
/// there, or 0 where it is not slower. `run`: whose shapes occur first. Nothing where no process measured a point
/// whose first execution it has.
std::optional<ColdStart> cold_start_of(const profile::Measurements&, std::size_t metric, const trace::RunSummary& run);

/// The cold start in that metric of a configuration; null where it has none of it.
const ColdStart* find_cold_start(const ConfigurationProjection&, std::string_view metric);

/// Positions of points whose first execution no process has a measurement of its own beside.
std::vector<std::size_t> unjoined_points(const profile::Measurements&, std::size_t metric);

/// Whether it is so much of a total that the total with it is a figure of its own.
bool is_worth_adding(const ColdStart&, const MetricProjection& total);

}  // namespace seqpoint::project
