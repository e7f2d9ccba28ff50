/// \file
/// Numbers in tables that programs read.
#pragma once

#include <string>

namespace seqpoint::io::views {

/// 12 significant digits. Empty where the value is not finite, since programs do not read infinities and NaN alike.
std::string full_precision(double value);

}  // namespace seqpoint::io::views
