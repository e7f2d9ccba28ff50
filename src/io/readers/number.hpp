/// \file
/// Numbers as text: one way to read them and to say what is wrong with them, for every format.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "short_decimal.hpp"

namespace seqpoint {

inline std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

enum class NumberFault { none, missing, not_a_number, out_of_range };

struct Number {
  double value = 0;
  NumberFault fault = NumberFault::none;
};

/// The whole of `text` as a number, blanks around it aside. "nan" and "inf" are numbers here; their users refuse them.
inline Number parse_number(std::string_view text) {
  text = trim(text);
  if (text.empty()) return {0, NumberFault::missing};
  if (const auto decimal = short_decimal(text)) return {*decimal};
  Number number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (error == std::errc::result_out_of_range)
    number.fault = NumberFault::out_of_range;
  else if (error != std::errc{} || end != text.data() + text.size())
    number.fault = NumberFault::not_a_number;
  return number;
}

/// `"x3" is not a number`, with the text cut where it is long.
inline std::string describe(NumberFault fault, std::string_view text) {
  if (fault == NumberFault::missing) return "is missing";
  constexpr std::size_t kLongest = 40;
  text = trim(text);
  if (text.starts_with('"')) return std::string(text.substr(0, kLongest)) + " is a string, not a number";
  std::string quoted = "\"" + std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "...\"" : "\"");
  return quoted + (fault == NumberFault::out_of_range ? " is out of the range of numbers" : " is not a number");
}

}  // namespace seqpoint
