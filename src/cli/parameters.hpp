/// \file
/// Maps the library's parameters to options of the command line.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::cli {

/// The option that sets a parameter, with its dashes: "--max-error" for "max_error".
std::string option_of(std::string_view parameter);

/// A text of the library's tables, with the parameters in backquotes replaced by options.
std::string with_options(std::string_view text);

/// The same for a message, which may contain names of files and configurations with backquotes of their own: only names
/// of options are replaced.
std::string message_with_options(std::string_view text);

}  // namespace seqpoint::cli
