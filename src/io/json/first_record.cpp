#include "io/json/first_record.hpp"

#include <algorithm>

namespace seqpoint::io::json {
namespace {

/// Whether a value, as written, is a number. Only its first character is looked at.
bool is_number(std::string_view value) {
  return value.starts_with('-') || (!value.empty() && value[0] >= '0' && value[0] <= '9');
}

}  // namespace

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
