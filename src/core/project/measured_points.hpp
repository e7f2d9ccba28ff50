/// \file
/// What stands for the measurements of a metric at the points of a selection.
#pragma once

#include <optional>
#include <vector>

#include "core/project/run_estimator.hpp"
#include "seqpoint/profile/measurements.hpp"

namespace seqpoint::project {

/// Metric `m` where it was measured: the mean of every point's measurements, or their median where `robust`, whose
/// variance is taken to be pi / 2 times that of the mean, as of normal values. Nothing where it was measured nowhere.
std::optional<MeasuredPoints> measured_points(const profile::Measurements&, std::size_t m, bool robust);

/// Weight of these points over the iterations of the run that they were selected from.
double coverage_of(const select::Selection&, const std::vector<std::size_t>& points);

/// What is of points where the other was measured too.
MeasuredPoints measured_in_both(const MeasuredPoints&, const MeasuredPoints& other);

/// At the same points, as often as the less often measured of the two.
MeasurementCounts smaller_counts(const MeasurementCounts&, const MeasurementCounts&);

}  // namespace seqpoint::project
