/// \file
/// What more measurements of the same points would do to an interval.
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
/// More measurements of each point, one by one where the expected squared error falls most (the first of equals), until
/// it has fallen by `wanted`. Nothing where select::kMaxRepeats do not suffice. Prices are not looked at.
std::optional<std::vector<std::uint64_t>> further_measurements(const select::ModelConstants&,
                                                               std::span<const select::MeasurablePoint>,
                                                               std::span<const MeasuredOften> so_far, double wanted);
/// The same for so many measurements, and by how much the squared error falls.
std::pair<std::vector<std::uint64_t>, double> share_out(const select::ModelConstants&,
                                                        std::span<const select::MeasurablePoint>,
                                                        std::span<const MeasuredOften> so_far, std::uint64_t more);

/// How many measurements more, at the points that were measured, lower the variance of the mean cost by `wanted`, of
/// what it is where disturbances have the scale 1; as they are best shared out, at other iterations while the points
/// name some. Nothing where thousands do not.
std::optional<std::uint64_t> measurements_until(const select::Selection&, const RunEstimator&, const RunEstimator::Fit&,
                                                const MeasurementCounts&, double wanted);

/// `more` measurements as they are best shared out: of each measured point, and by how much that variance falls.
std::pair<std::vector<std::uint64_t>, double> after_measurements(const select::Selection&, const RunEstimator&,
                                                                 const RunEstimator::Fit&, const MeasurementCounts&,
                                                                 std::uint64_t more);

}  // namespace seqpoint::project
