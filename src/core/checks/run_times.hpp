/// \file
/// Times of whole runs that are impossible for an iteration, and others that are very unlikely.
#pragma once

#include <string>
#include <vector>

#include "core/checks/implausible_times.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::checks {

/// Warnings about a measured column of a run, which was read from `source`: impossible times, else outliers and a
/// trend; and wrong units. None unless the column is a time by its name. `of_clock`: they are differences of a clock,
/// where one of 0 only means that the next is longer.
std::vector<Finding> findings_about(const trace::Trace&, const trace::Metric&, const std::string& source,
                                    bool of_clock = false);

/// Whether two runs have the same times, in order and to the last digit. False if clocks are so coarse that this may be
/// chance.
bool same_times(const trace::Metric&, const trace::Metric&);
/// The median over iterations, by position, of the ratio of the first run's time to the second's, if both are above 0;
/// 1 if none can be compared.
double time_ratio(const trace::Metric&, const trace::Metric&);

}  // namespace seqpoint::checks
