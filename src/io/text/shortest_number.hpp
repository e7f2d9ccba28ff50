/// \file
/// The text of numbers in output files.
#pragma once

#include <string>

namespace seqpoint::io::text {

/// Rounded to 12 significant digits, so that differences between libm implementations disappear.
double round12(double value);

/// The shortest text that reads back as the same double. Finite values only.
std::string shortest(double value);

}  // namespace seqpoint::io::text
