/// \file
/// Stage 6, for another run of the same model: other batch order or size, other data set, other limit on lengths.
#pragma once

#include <span>

#include "seqpoint/projection.hpp"

namespace seqpoint {

/// As `project`, but every figure is of the run `other`: what its iterations cost is read off the CostCurve of each
/// metric through the points. A point that leaves the batch size open was measured at the one that is most frequent for
/// its length. Coverage and missing points are those of the selection; `other` comes back in Projection::onto, with how
/// far it lies outside what was measured.
///
/// Totals, --rate and speedups carry an interval: the standard error of the low-order fit's total (from the relative
/// residuals of the points; of a ratio, from the differences of both sides' residuals), with what single iterations of
/// `other` scatter, and the difference between curve and fit; a total also a tenth of what lies outside, times how far
/// (in measured ranges). It is null below three points, for values that are not above zero, and where more than 10 % of
/// the total lies outside by more than half the measured range.
///
/// Throws as `project`, and InputError (with other.source as the file) where only one of the runs has two lengths.
Projection project_onto(const Selection&, const Onto& other, std::span<const NamedMeasurements>, const ProjectParams&);

}  // namespace seqpoint
