/// \file
/// The effect of more measurements of the same points on an interval.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/project/run_estimator.hpp"
#include "core/select/measurement_plan.hpp"

namespace seqpoint::project {

/// How often a point has been measured.
struct MeasuredOften {
  double iterations = 1, measurements = 1;  ///< different iterations, and measurements; effective numbers
};
/// More measurements of each point, one by one at the point where the expected squared error falls most (ties: the
/// first), until it has fallen by `wanted`. Nothing if select::kMaxRepeats do not suffice. Ignores prices.
std::optional<std::vector<std::uint64_t>> further_measurements(const select::ModelConstants&,
                                                               std::span<const select::MeasurablePoint>,
                                                               std::span<const MeasuredOften> so_far, double wanted);
/// The same for a fixed number of measurements, with the decrease of the squared error.
std::pair<std::vector<std::uint64_t>, double> share_out(const select::ModelConstants&,
                                                        std::span<const select::MeasurablePoint>,
                                                        std::span<const MeasuredOften> so_far, std::uint64_t more);

/// The number of additional measurements, at the measured points, that lowers the variance of the mean cost (at noise
/// scale 1) by `wanted`; optimally allocated, at other iterations while the points list some. Nothing if thousands do
/// not suffice.
std::optional<std::uint64_t> measurements_until(const select::Selection&, const RunEstimator&, const RunEstimator::Fit&,
                                                const MeasurementCounts&, double wanted);

/// The optimal allocation of `more` measurements: the number per measured point, and the decrease of that variance.
std::pair<std::vector<std::uint64_t>, double> after_measurements(const select::Selection&, const RunEstimator&,
                                                                 const RunEstimator::Fit&, const MeasurementCounts&,
                                                                 std::uint64_t more);

}  // namespace seqpoint::project
