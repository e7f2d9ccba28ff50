/// \file
/// Hints at the format of an input, from its beginning and its name.
#pragma once

#include <string_view>

namespace seqpoint::io::text {

/// The first line of a head that is not blank, without its line end and byte order mark. Blank or empty if all lines
/// are blank.
std::string_view first_line(std::string_view head);
/// The last part of a path, without the ending .gz or .zst.
std::string_view file_name(std::string_view path);

}  // namespace seqpoint::io::text
