/// \file
/// What is known of the scale of disturbances alone.
#pragma once

#include <Eigen/Core>

#include "core/select/scales.hpp"

namespace seqpoint::checks {

/// What is known of s alone, from disturbances that were seen: ln s is N(0, noise_spread^2) times s^-degrees
/// exp(-squares / (2 s^2)).
class NoisePosterior {
 public:
  /// `spread`: of the prior of ln s.
  NoisePosterior(double spread, const select::NoiseEvidence&);

  /// How likely a value of N(0, s^2) is farther than `distance` >= 0 from 0, on both sides together.
  double probability_beyond(double distance) const;
  /// The same of one value whose scale differs from s: its logarithm by N(0, own_spread^2).
  double probability_beyond(double distance, double own_spread) const;
  double median() const;

 private:
  Eigen::ArrayXd ln_s_, weight_;  ///< on a grid; the weights add up to 1
};

}  // namespace seqpoint::checks
