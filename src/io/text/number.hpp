/// \file
/// Numbers as text: one way for all formats to parse them and to describe errors in them.
#pragma once

#include <string>
#include <string_view>

#include "io/text/short_decimal.hpp"

namespace seqpoint::io::text {

/// The text without blanks, tabs, CR and LF around it.
inline std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Why a text is not a number: it is empty (missing), has other characters, or is too large or small for a double.
enum class NumberFault { none, missing, not_a_number, out_of_range };

struct Number {
  double value = 0;
  NumberFault fault = NumberFault::none;
};

/// All of `text`, without blanks around it, as a number. Called if short_decimal() cannot parse it.
Number parse_any_number(std::string_view text);

/// All of `text` as a number, ignoring blanks around it. "nan" and "inf" are numbers here; callers reject them.
inline Number parse_number(std::string_view text) {
  text = trim(text);
  const auto decimal = short_decimal(text);
  return decimal ? Number{*decimal} : parse_any_number(text);
}

/// `"x3" is not a number`: a problem, with the text truncated after 40 bytes. A text that begins with a quote "is a
/// string, not a number"; a missing one "is missing". `fault` is not none.
std::string describe(NumberFault fault, std::string_view text);

}  // namespace seqpoint::io::text
