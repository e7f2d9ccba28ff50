/// \file
/// Budgets and times as they are typed.
#pragma once

#include <string>

#include "core/select/select.hpp"

namespace seqpoint::cli::options {

/// The value of --budget: "24" batches, or "90s", "15min" or "2h" of time. Throws UsageError unless it is above 0, and
/// batches a whole number.
select::ProfilingBudget parse_budget(const std::string& text);

/// Seconds in "90s", "15min", "2h" or "90", 0 or more. Throws a UsageError that names the option.
double parse_duration(const std::string& option, const std::string& text);

}  // namespace seqpoint::cli::options
