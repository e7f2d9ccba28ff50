/// \file
/// Whether times are assigned to the points that they were measured at.
#pragma once

#include <Eigen/Core>

#include <cstddef>

#include "core/select/cost_model.hpp"
#include "core/select/scales.hpp"

namespace seqpoint::checks {

/// More times are not examined: the work grows with the square of their number.
inline constexpr std::size_t kMaxOrdered = 100;

/// Times of points, or of single measurements, each with the shape of its point.
struct PlacedTimes {
  select::ModelShapes at;
  Eigen::VectorXd values,          ///< above 0
      variance,                    ///< D: noise variance of each at scale 1, as shares of the mean cost squared
      weights;                     ///< in the run's total, above 0
  select::NoiseEvidence within{};  ///< noise of measurements about their point, if times are of points
};

/// The probability that costs drawn from the model become as much more likely as these times by sorting them by size.
/// Exact to one part in 20,000 if below `level`; else approximate, or 1 if sorting helps too little to be significant.
/// At most kMaxOrdered times. Always draws the same random numbers.
double probability_of_misplaced(const select::CostModel&, const PlacedTimes&, double level);

}  // namespace seqpoint::checks
