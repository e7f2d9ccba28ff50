/// \file
/// Writes the library's parameters as options of the command line.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::cli {

/// The option that sets a parameter, with its dashes: "--max-error" for "max_error". Keys of --sampler keep their
/// names.
std::string option_of(std::string_view parameter);

/// A text of the library's tables, with the parameters in backquotes replaced by options.
std::string with_options(std::string_view text);

/// with_options() for a message: replaces a name in backquotes only if a command has that option, because names of
/// files and configurations may also contain backquotes.
std::string message_with_options(std::string_view text);

}  // namespace seqpoint::cli
