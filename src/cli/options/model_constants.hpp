/// \file
/// Parsing of the cost model's constants.
#pragma once

#include <string>

#include "core/select/select.hpp"

namespace seqpoint::cli::options {

/// Sets one of them from `NAME=VALUE`, the value of --model; `scales` is a factor on all scales. Throws UsageError.
void set_constant(select::ModelConstants&, const std::string& assignment);

}  // namespace seqpoint::cli::options
