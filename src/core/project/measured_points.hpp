/// \file
/// One value for the measurements of a metric at each point of a selection.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

/// With more processes than this all count as one: a column meant to name processes then has a different text in every
/// row.
inline constexpr std::size_t kMaxProcesses = 500;

/// Effective number of measured iterations, (sum n)² / sum n² for iterations that were measured n times: as many
/// iterations, measured equally often, would have a mean of the same variance. All readings without a known iteration
/// count as one iteration.
double effective_iterations(std::span<const profile::Reading>);

/// Metric `m`, a position, at the points where it was measured: the mean of each point's measurements or, with
/// `robust`, their median, whose variance for three or more is assumed to be pi / 2 times that of the mean, as for
/// normal values. Nothing if no point was measured. `between`: median of the between-process variation, replacing the
/// default.
std::optional<MeasuredPoints> measured_points(const profile::Measurements&, std::size_t m, bool robust,
                                              std::optional<double> between = {});

/// The measurements of one process; without points if it has none. Parameters as of measured_points().
MeasuredPoints measured_by(const MeasuredPoints&, std::size_t process, bool robust);

/// Prior of the between-process variation: kDeviceBound if the accelerator is busy for at least kDeviceBoundFrom of a
/// step, kHostBoundOnDevice if it is less busy, and kHostBound if it is idle or `device_busy` is not known. `median`
/// replaces the prior's median.
select::BetweenProcesses between_processes(const std::optional<double>& device_busy, std::optional<double> median = {});

/// The values and counts of those measured points, by their position, that `is_kept` accepts.
MeasuredPoints kept(const MeasuredPoints&, const std::function<bool(std::size_t)>& is_kept);

/// The first argument at the points where `other` was measured too, without its run_totals; empty if there are none.
MeasuredPoints measured_in_both(const MeasuredPoints&, const MeasuredPoints& other);

/// At each point the smaller of the two numbers, of iterations and of measurements. Both have the same points.
MeasurementCounts smaller_counts(const MeasurementCounts&, const MeasurementCounts&);

}  // namespace seqpoint::project
