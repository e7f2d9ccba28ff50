#include "json_scan.hpp"

#include "../readers/number.hpp"

namespace seqpoint {
namespace {

/// Where the string that begins at `at` ends, behind its quote.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return kUnended;
}

}  // namespace

std::size_t end_of_value(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = end_of_string(text, i);
      if (i == kUnended) return kUnended;
      if (depth == 0) return i;
      --i;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return depth == 0 ? i : i + 1;
      --depth;
    } else if (depth == 0 && (c == ',' || is_json_blank(c))) {
      return i;
    }
  }
  return kUnended;
}

std::string_view bare(std::string_view token) {
  token = trim(token);
  if (token.size() >= 2 && token.front() == '"') token = token.substr(1, token.find_last_of('"') - 1);
  return token;
}

}  // namespace seqpoint
