/// \file
/// Tails of the distributions that tests and intervals need.
#pragma once

namespace seqpoint {

/// The probability that a value of the F distribution with these degrees of freedom, above 0, is above `f`: 1 for `f`
/// <= 0 or NaN, 0 if `f` is infinite.
double f_tail(double f, double numerator_degrees, double denominator_degrees);

/// The value that a variable of Student's t distribution exceeds on either side with this probability, in (0, 1).
double two_sided_t_bound(double probability, double degrees);

/// The value below which the standard normal distribution has this probability, in (0, 1).
double normal_quantile(double probability);

}  // namespace seqpoint
