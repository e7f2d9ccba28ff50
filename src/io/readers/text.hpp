/// \file
/// How many tokens a text has.
#pragma once

#include <cstdint>
#include <string_view>

#include "seqpoint/io/readers.hpp"

namespace seqpoint {

/// Tokens of UTF-8 text, which has no line end.
std::uint64_t count_tokens(std::string_view text, TextSplit split);

}  // namespace seqpoint
