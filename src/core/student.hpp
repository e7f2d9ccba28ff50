/// \file
/// Quantiles of Student's t and of the F distribution.
#pragma once

namespace seqpoint {

/// The share of a Beta(a, b) variable below x: the regularised incomplete beta function (continued fraction, Lentz 1976).
/// a, b > 0; x in [0, 1].
double incomplete_beta(double a, double b, double x);

/// t with P(|T| <= t) = confidence, for `freedom` degrees of freedom > 0 (Student 1908). confidence in (0, 1).
double student_quantile(double confidence, double freedom);

/// f with P(F <= f) = share, for F of `freedom` over `freedom` degrees of freedom > 0. share in (0, 1).
double variance_ratio_quantile(double share, double freedom);

}  // namespace seqpoint
