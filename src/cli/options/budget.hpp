/// \file
/// Budgets and times as they are typed.
#pragma once

#include <string>

#include "core/select/select.hpp"

namespace seqpoint::cli::options {

/// "24" iterations; "90s", "15min" or "2h" of time. Throws UsageError.
select::ProfilingBudget parse_budget(const std::string& text);

/// Seconds in "90s", "15min", "2h" or "90". Throws a UsageError that names the option.
double parse_duration(const std::string& option, const std::string& text);

}  // namespace seqpoint::cli::options
