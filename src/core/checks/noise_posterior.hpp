/// \file
/// Posterior of the noise scale alone.
#pragma once

#include <Eigen/Core>

#include "core/select/scales.hpp"

namespace seqpoint::checks {

/// Posterior of the noise scale s alone, from observed noise: the prior N(0, noise_spread^2) of ln s times s^-degrees
/// exp(-squares / (2 s^2)).
class NoisePosterior {
 public:
  /// `spread`: standard deviation of the prior of ln s.
  NoisePosterior(double spread, const select::NoiseEvidence&);

  /// Two-sided probability that a value of N(0, s^2) is farther than `distance` >= 0 from 0.
  double probability_beyond(double distance) const;
  /// The same for one value whose own scale differs from s: the logarithm of the ratio is N(0, own_spread^2).
  double probability_beyond(double distance, double own_spread) const;
  /// The posterior median of s, on the grid.
  double median() const;

 private:
  Eigen::ArrayXd ln_s_, weight_;  ///< on a grid; the weights add up to 1
};

}  // namespace seqpoint::checks
