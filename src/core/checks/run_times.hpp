/// \file
/// Times of whole runs that are impossible for an iteration, and others that are very unlikely.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/checks/implausible_times.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::checks {

/// Warnings about a measured column of a run, which was read from `source`: impossible times, else outliers and a
/// trend; and wrong units. None unless the column is a time by its name.
std::vector<Finding> findings_about(const trace::Trace&, const trace::Metric&, const std::string& source);

/// Findings about a column of `runs[r]`, one of several runs of the same iterations: that it is a copy of an earlier
/// one's, or apparently in another unit than the first; and those about it alone. None if it is no time, or missing.
std::vector<Finding> findings_about(std::span<const trace::NamedTrace> runs, std::size_t r, const std::string& metric);

}  // namespace seqpoint::checks
