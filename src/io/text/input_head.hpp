/// \file
/// Hints at the format of an input, from its beginning and its name.
#pragma once

#include <string_view>

namespace seqpoint::io::text {

/// The first line of a head that is not blank, without its line end and byte order mark.
std::string_view first_line(std::string_view head);
/// The last part of a path, without the ending of its compression.
std::string_view file_name(std::string_view path);

}  // namespace seqpoint::io::text
