/// \file
/// What more measurements of the same points would do to an interval.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/project/run_estimator.hpp"

namespace seqpoint::project {

/// How many measurements more, at the points that were measured, make U `share` of what it is; as they are best shared
/// out, at other iterations while the points name some. Nothing where thousands do not.
std::optional<std::uint64_t> measurements_until(const select::Selection&, const RunEstimator&, const RunEstimator::Fit&,
                                                const MeasurementCounts&, double share);

/// `more` measurements as they are best shared out: of each measured point, and what U then is.
std::pair<std::vector<std::uint64_t>, double> after_measurements(const select::Selection&, const RunEstimator&,
                                                                 const RunEstimator::Fit&, const MeasurementCounts&,
                                                                 std::uint64_t more);

}  // namespace seqpoint::project
