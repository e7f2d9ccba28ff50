/// \file
/// Numbers as artefacts write them.
#pragma once

#include <string>

namespace seqpoint::io::text {

/// Rounded to 12 significant digits: what a platform's libm may do differently is gone.
double round12(double value);

/// The shortest text that reads back as the same double. Finite values only.
std::string shortest(double value);

}  // namespace seqpoint::io::text
