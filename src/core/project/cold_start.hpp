/// \file
/// Cold-start cost of shapes, from measured first executions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/projection.hpp"

namespace seqpoint::project {

/// The cold-start cost of `metric`, a position in Measurements::metrics: the extra cost of a point's first execution in
/// a process over the mean of its measurements there, or 0 if it is not slower; averaged over processes, then over
/// points. `run`: the run whose shapes occur first. Nothing if no process has both for any point.
std::optional<ColdStart> cold_start_of(const profile::Measurements&, std::size_t metric, const trace::RunSummary& run);

/// The cold start of a configuration in the metric of that name; null if there is none.
const ColdStart* find_cold_start(const ConfigurationProjection&, std::string_view metric);

/// Positions of points, ascending, that have first executions, but in no process together with a measurement.
std::vector<std::size_t> unjoined_points(const profile::Measurements&, std::size_t metric);

/// Whether the cold start is more than kMinColdStart of a total, so that the total including it is also shown.
bool is_worth_adding(const ColdStart&, const MetricProjection& total);

}  // namespace seqpoint::project
