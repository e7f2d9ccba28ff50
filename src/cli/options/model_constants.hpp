/// \file
/// Parsing of the cost model's constants.
#pragma once

#include <string>

#include "core/select/select.hpp"

namespace seqpoint::cli::options {

/// Sets a constant from `NAME=VALUE`, the value of --model; `scales` is a factor on all scales. Throws UsageError for
/// an unknown name, and for a value that differs from the default by more than a factor of 1000.
void set_constant(select::ModelConstants&, const std::string& assignment);

}  // namespace seqpoint::cli::options
