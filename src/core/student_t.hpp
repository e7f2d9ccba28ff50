/// \file
/// The quantile that turns a standard error into an interval.
#pragma once

namespace seqpoint {

/// t such that |T| <= t with probability `confidence`, for Student's T of `freedom` degrees of freedom (> 0, need not be
/// whole). `confidence` is in (0, 1).
double student_t(double confidence, double freedom);

}  // namespace seqpoint
