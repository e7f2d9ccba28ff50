/// \file
/// The user's commands without their secrets, for files, messages and exports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::text {

/// The text with `***` in place of users and passwords in URLs, and of values whose option, variable or key has a name
/// that ends like that of a secret: `--hub-token X`, `WANDB_API_KEY=X`, `"password": "X"`.
std::string without_secrets(std::string_view text);
/// The words of a command, likewise: an option and its value may be two words.
std::vector<std::string> without_secrets(std::span<const std::string> words);

}  // namespace seqpoint::io::text
