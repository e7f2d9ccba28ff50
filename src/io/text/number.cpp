#include "io/text/number.hpp"

#include <fmt/core.h>

#include <charconv>

namespace seqpoint::io::text {

Number parse_any_number(std::string_view text) {
  if (text.empty()) return {0, NumberFault::missing};
  Number number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (error == std::errc::result_out_of_range)
    number.fault = NumberFault::out_of_range;
  else if (error != std::errc{} || end != text.data() + text.size())
    number.fault = NumberFault::not_a_number;
  return number;
}

std::string describe(NumberFault fault, std::string_view text) {
  if (fault == NumberFault::missing) return "is missing";
  constexpr std::size_t kLongest = 40;
  text = trim(text);
  if (text.starts_with('"')) return std::string(text.substr(0, kLongest)) + " is a string, not a number";
  std::string quoted = fmt::format("\"{}{}", text.substr(0, kLongest), text.size() > kLongest ? "...\"" : "\"");
  return quoted + (fault == NumberFault::out_of_range ? " is out of the range of numbers" : " is not a number");
}

}  // namespace seqpoint::io::text
