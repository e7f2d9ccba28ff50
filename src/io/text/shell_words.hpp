/// \file
/// Words as they are typed in a POSIX shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace seqpoint::io::text {

/// A text as one word, in single quotes.
std::string shell_word(std::string_view text);
/// Words as they would be typed: those with special characters in single quotes.
std::string shell_words(std::span<const std::string> words);

}  // namespace seqpoint::io::text
