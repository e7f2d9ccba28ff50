/// \file
/// What the program prints if a signal ends it.
#pragma once

#include <string>

namespace seqpoint::cli {

/// Sets the text; a signal handler prints the latest one.
void set_last_words(std::string);
/// Writes the text to standard error. For a signal handler.
void print_last_words() noexcept;

}  // namespace seqpoint::cli
