#include "io/json/first_record.hpp"

#include <algorithm>

namespace seqpoint::io::json {
namespace {

bool is_number(std::string_view value) {
  return value.starts_with('-') || (!value.empty() && value[0] >= '0' && value[0] <= '9');
}

}  // namespace

bool is_array(std::string_view head) { return first_value(head).starts_with('['); }

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
