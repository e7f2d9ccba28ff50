/// \file
/// One value for the measurements of a metric at each point of a selection.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

/// More processes than this count as one: a column that was to name them has another text in every row.
inline constexpr std::size_t kMaxProcesses = 500;

/// The number of equally often measured iterations whose mean would have the same variance; readings without a known
/// iteration count as of one.
double effective_iterations(std::span<const profile::Reading>);

/// Metric `m` at the points where it was measured: the mean of each point's measurements or, with `robust`, their
/// median, whose variance is taken to be pi / 2 times that of the mean, as for normal values. Nothing where no point
/// has any. `between`: the median of how much processes differ, instead of the usual one.
std::optional<MeasuredPoints> measured_points(const profile::Measurements&, std::size_t m, bool robust,
                                              std::optional<double> between = {});

/// What is usual of levels, by what bounds the job: an accelerator that is busy enough, else the host. `median`:
/// instead of the usual one.
select::BetweenProcesses between_processes(const std::optional<double>& device_busy, std::optional<double> median = {});

/// Throws std::invalid_argument for no configuration, no point, and measurements of another shape than they describe.
void require_valid(const select::Selection&, std::span<const NamedMeasurements>);

/// The first argument at the points where `other` was measured too.
MeasuredPoints measured_in_both(const MeasuredPoints&, const MeasuredPoints& other);

/// The smaller of the counts of two at each of the same points.
MeasurementCounts smaller_counts(const MeasurementCounts&, const MeasurementCounts&);

}  // namespace seqpoint::project
