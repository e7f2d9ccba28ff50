/// \file
/// Regular expressions that users write.
#pragma once

#include <regex>
#include <string_view>

namespace seqpoint {

/// Of ASCII, whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// ECMAScript as std::regex has it. Throws std::regex_error for what is none, and for numbers above 999 behind a backslash or in
/// braces: nobody means them, and libstdc++ 12 lets them overflow (regex_compiler.tcc, _M_cur_int_value).
std::regex regular_expression(std::string_view text, std::regex::flag_type flags = std::regex::ECMAScript);

}  // namespace seqpoint
