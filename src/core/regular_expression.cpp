#include "regular_expression.hpp"

#include <algorithm>

namespace seqpoint {
namespace {

/// How many digits `text` begins with.
std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

/// Of what stands behind a backslash or a brace: "12" and "12,34".
bool is_large(std::string_view text) {
  constexpr std::size_t kMostDigits = 3;
  const std::size_t first = digits(text);
  const bool second = first < text.size() && text[first] == ',';
  return first > kMostDigits || (second && digits(text.substr(first + 1)) > kMostDigits);
}

bool has_large_number(std::string_view text) {
  bool in_class = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view behind = text.substr(i + 1);
    if (text[i] == '\\' ? digits(behind) > 0 && is_large(behind) : text[i] == '{' && !in_class && is_large(behind)) return true;
    if (text[i] == '\\') ++i;
    else in_class = text[i] == '[' || (in_class && text[i] != ']');
  }
  return false;
}

}  // namespace

std::regex regular_expression(std::string_view text, std::regex::flag_type flags) {
  if (has_large_number(text)) throw std::regex_error(std::regex_constants::error_badbrace);
  return std::regex(text.begin(), text.end(), flags);
}

}  // namespace seqpoint
