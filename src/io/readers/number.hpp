/// \file
/// Numbers as text: one way to read them and to say what is wrong with them, for every format.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace seqpoint {

inline std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
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
