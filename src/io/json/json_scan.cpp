#include "io/json/json_scan.hpp"

#include <algorithm>

#include "io/text/number.hpp"

namespace seqpoint::io::json {

std::string_view first_value(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text.substr(skip_blanks(text, 0));
}

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return kIncomplete;
}

std::size_t end_of_value(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = end_of_string(text, i);
      if (i == kIncomplete || depth == 0) return i;
      --i;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return depth == 0 ? i : i + 1;
      --depth;
    } else if (depth == 0 && (c == ',' || is_blank(c))) {
      return i;
    }
  }
  return kIncomplete;
}

std::size_t end_of_element(std::string_view text, std::size_t at) {
  while ((at = skip_blanks(text, at)) < text.size()) {
    if (text[at] == ',' || text[at] == ']' || text[at] == '}') return at;
    at = std::min(end_of_value(text, at), text.size());
  }
  return text.size();
}

std::string_view unquoted(std::string_view token) {
  token = text::trim(token);
  if (token.size() >= 2 && token.front() == '"') token = token.substr(1, token.find_last_of('"') - 1);
  return token;
}

std::vector<Member> members(std::string_view text, std::size_t open) {
  std::vector<Member> found;
  if (open >= text.size() || text[open] != '{') return found;
  for (std::size_t at = open; at < text.size() && (at == open || text[at] == ',');) {
    const std::size_t key = skip_blanks(text, at + 1);
    if (key == text.size() || text[key] != '"') break;
    const std::size_t key_end = end_of_string(text, key);
    if (key_end == kIncomplete) break;
    const std::size_t colon = skip_blanks(text, key_end);
    if (colon == text.size() || text[colon] != ':') break;
    const std::size_t value = skip_blanks(text, colon + 1);
    at = end_of_element(text, value);
    found.push_back({text.substr(key + 1, key_end - key - 2), text::trim(text.substr(value, at - value))});
  }
  return found;
}

std::string_view find_value(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::size_t behind = at + key.size();
    if (at == 0 || text[at - 1] != '"' || behind >= text.size() || text[behind] != '"') continue;
    const std::size_t colon = skip_blanks(text, behind + 1);
    if (colon == text.size() || text[colon] != ':') continue;
    const std::size_t value = skip_blanks(text, colon + 1);
    const std::size_t end = end_of_value(text, value);
    return end == kIncomplete ? std::string_view{} : unquoted(text.substr(value, end - value));
  }
  return {};
}

}  // namespace seqpoint::io::json
