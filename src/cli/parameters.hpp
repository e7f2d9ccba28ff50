/// \file
/// The library's parameters as options of the command line.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::cli {

/// The option that sets a parameter, with its dashes: "--max-error" of "max_error".
std::string option_of(std::string_view parameter);

/// A text of the library's tables, whose parameters stand in backquotes, with options in their place.
std::string with_options(std::string_view text);

/// The same of a message, which may have names of files and configurations in it, with backquotes of their own: only
/// what is an option of a command is replaced.
std::string message_with_options(std::string_view text);

}  // namespace seqpoint::cli
