#include "io/json/json_scan.hpp"

#include <algorithm>

#include "io/text/number.hpp"

namespace seqpoint::io::json {
namespace {

/// Whether a value, as written, is a number. Only its first character is looked at.
bool is_number(std::string_view value) {
  return value.starts_with('-') || (!value.empty() && value[0] >= '0' && value[0] <= '9');
}

}  // namespace

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

/// Neither `[ ] buy milk` nor `[2024-05-01] step 1` is an array.
bool is_array(std::string_view head) {
  const std::string_view text = first_value(head);
  if (!text.starts_with('[')) return false;
  const std::size_t first = skip_blanks(text, 1);
  if (first == text.size() || text[first] == '{' || text[first] == '[' || text[first] == '"') return true;
  const std::size_t end = end_of_element(text, first);
  const std::string_view element = text.substr(first, end - first);
  const bool number = element.find_first_not_of("0123456789+-.eE \t\r\n") == std::string_view::npos;
  const bool word = element.starts_with("null") || element.starts_with("true") || element.starts_with("false");
  const bool closed = end < text.size() && text[end] == ']';
  return (number || word) && (!closed || skip_blanks(text, end + 1) == text.size());
}

FirstRecord::FirstRecord(std::string_view head) {
  const std::string_view text = first_value(head);
  members_ = text.starts_with('[') ? members(text, skip_blanks(text, 1)) : members(text.substr(0, text.find('\n')), 0);
}

std::string_view FirstRecord::value(std::string_view key) const {
  const auto found =
      std::find_if(members_.begin(), members_.end(), [&](const Member& member) { return member.key == key; });
  return found == members_.end() ? std::string_view{} : found->value;
}

std::vector<std::string> FirstRecord::keys() const {
  std::vector<std::string> keys;
  for (const Member& member : members_) keys.emplace_back(member.key);
  return keys;
}

std::vector<std::string> FirstRecord::number_keys() const {
  std::vector<std::string> keys;
  for (const Member& member : members_)
    if (is_number(member.value) || member.value == "null") keys.emplace_back(member.key);
  return keys;
}

}  // namespace seqpoint::io::json
