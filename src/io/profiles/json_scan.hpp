/// \file
/// Where values of JSON end, found one byte at a time: for text that need not be all there.
#pragma once

#include <cstddef>
#include <string_view>

namespace seqpoint {

inline constexpr std::size_t kUnended = std::string_view::npos;  ///< not whole yet

inline bool is_json_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Where the value that begins at `at` ends; kUnended where the text ends first.
std::size_t end_of_value(std::string_view text, std::size_t at);

/// A token without its quotes, and without the blanks that follow it in the text.
std::string_view bare(std::string_view token);

}  // namespace seqpoint
