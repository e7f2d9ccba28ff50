/// \file
/// Whether times stand at the points that they were measured at.
#pragma once

#include <Eigen/Core>

#include <cstddef>

#include "core/select/cost_model.hpp"
#include "core/select/scales.hpp"

namespace seqpoint::checks {

/// More times are not examined: the work grows with the square of their number.
inline constexpr std::size_t kMaxOrdered = 100;

/// Times of points, or of single measurements, each with the signature of its point.
struct PlacedTimes {
  select::ModelSignatures at;
  Eigen::VectorXd values,          ///< above 0
      variance,                    ///< D: of each one's disturbance at scale 1, as shares of the mean cost squared
      weights;                     ///< in the run's total, above 0
  select::NoiseEvidence within{};  ///< of measurements about their point, where times are of points
};

/// How likely costs that the model draws are as much likelier once they are sorted by size. Exact to one part in 20,000
/// where that is below `level`, else about. At most kMaxOrdered times.
double probability_of_misplaced(const select::CostModel&, const PlacedTimes&, double level);

}  // namespace seqpoint::checks
