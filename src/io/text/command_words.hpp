/// \file
/// Commands as text, as they are typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::text {

/// A text as one word of a POSIX shell, in single quotes.
std::string shell_word(std::string_view text);
/// Words as they would be typed: those with special characters in single quotes, and those with control characters or
/// bytes that are no UTF-8 in $'...', as bash, zsh and POSIX of 2024 have it.
std::string shell_words(std::span<const std::string> words);

}  // namespace seqpoint::io::text
