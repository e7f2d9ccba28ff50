/// \file
/// One value for the measurements of a metric at each point of a selection.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

/// With more processes than this all count as one: a column meant to name processes then has a different text in every
/// row.
inline constexpr std::size_t kMaxProcesses = 500;

/// Effective number of iterations: equally often measured, their mean would have the same variance; all readings
/// without a known iteration count as one iteration.
double effective_iterations(std::span<const profile::Reading>);

/// Metric `m` at the points where it was measured: the mean of each point's measurements or, with `robust`, their
/// median, whose variance is assumed to be pi / 2 times that of the mean, as for normal values. Nothing if no point was
/// measured. `between`: median of the between-process variation, replacing the default.
std::optional<MeasuredPoints> measured_points(const profile::Measurements&, std::size_t m, bool robust,
                                              std::optional<double> between = {});

/// Prior of the between-process variation, by the job's bottleneck: an accelerator that is busy enough, else the host.
/// `median` replaces the default.
select::BetweenProcesses between_processes(const std::optional<double>& device_busy, std::optional<double> median = {});

/// Throws std::invalid_argument for no configuration, no point, and measurements whose structure is invalid.
void require_valid(const select::Selection&, std::span<const NamedMeasurements>);

/// The first argument at the points where `other` was measured too.
MeasuredPoints measured_in_both(const MeasuredPoints&, const MeasuredPoints& other);

/// The smaller of the two counts at each of the same points.
MeasurementCounts smaller_counts(const MeasurementCounts&, const MeasurementCounts&);

}  // namespace seqpoint::project
