#include "json_probe.hpp"

#include <algorithm>

#include "number.hpp"

namespace seqpoint {
namespace {

std::string_view after_blanks(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// How long the string is that begins `text`, quotes included; all of it if it does not end.
std::size_t string_size(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == '"') return i + 1;
  }
  return text.size();
}

/// How long the value is that begins `text`: up to the comma or bracket that ends it.
std::size_t value_size(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',')) return i;
    if (c == '"') i += string_size(text.substr(i)) - 1;
    depth += c == '{' || c == '[' ? 1 : 0;
    depth -= closes ? 1 : 0;
  }
  return text.size();
}

}  // namespace

bool is_json_array(std::string_view head) { return after_blanks(head).starts_with('['); }

JsonProbe::JsonProbe(std::string_view head) {
  std::string_view rest = after_blanks(head);
  rest = rest.starts_with('[') ? after_blanks(rest.substr(1)) : rest.substr(0, rest.find('\n'));
  if (!rest.starts_with('{')) return;
  do {
    rest = after_blanks(rest.substr(1));
    if (!rest.starts_with('"')) return;
    const std::size_t quoted = string_size(rest);
    const std::string_view key = rest.substr(1, quoted - 2);
    rest = after_blanks(rest.substr(quoted));
    if (!rest.starts_with(':')) return;
    rest = after_blanks(rest.substr(1));
    const std::size_t size = value_size(rest);
    fields_.emplace_back(key, trim(rest.substr(0, size)));
    rest.remove_prefix(size);
  } while (rest.starts_with(','));
}

std::string_view JsonProbe::value(std::string_view key) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const auto& field) { return field.first == key; });
  return found == fields_.end() ? std::string_view{} : found->second;
}

std::vector<std::string> JsonProbe::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : fields_) keys.emplace_back(key);
  return keys;
}

std::vector<std::string> JsonProbe::number_keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : fields_)
    if (value.starts_with('-') || (!value.empty() && value[0] >= '0' && value[0] <= '9') || value == "null") keys.emplace_back(key);
  return keys;
}

}  // namespace seqpoint
