/// \file
/// Commands as text: as they are typed, and without their secrets.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::text {

// --- Words as they are typed in a POSIX shell

/// A text as one word, in single quotes.
std::string shell_word(std::string_view text);
/// Words as they would be typed: those with special characters in single quotes.
std::string shell_words(std::span<const std::string> words);

// --- The user's commands without their secrets, for files, messages and exports

/// The text with `***` in place of users and passwords in URLs, and of values whose option, variable or key has a name
/// that ends like that of a secret: `--hub-token X`, `WANDB_API_KEY=X`, `"password": "X"`.
std::string without_secrets(std::string_view text);
/// The words of a command, likewise: an option and its value may be two words.
std::vector<std::string> without_secrets(std::span<const std::string> words);

}  // namespace seqpoint::io::text
