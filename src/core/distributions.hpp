/// \file
/// Tails of the distributions that tests and intervals need.
#pragma once

namespace seqpoint {

/// The probability that a value of the F distribution is above `f`. Degrees of freedom above 0.
double f_tail(double f, double numerator_degrees, double denominator_degrees);

/// Quantile of the standard normal distribution for this probability, in (0, 1).
double normal_quantile(double probability);

}  // namespace seqpoint
