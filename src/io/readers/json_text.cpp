// JSON texts cut into the elements of a list, as they stand.
#include <simdjson.h>

#include <algorithm>

#include "json_probe.hpp"
#include "json_text.hpp"
#include "number.hpp"
#include "records.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

/// Behind the string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

}  // namespace

std::string read_valid_json(Input& input) {
  std::string text = input.read_all();
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  simdjson::dom::parser parser;
  if (const auto error = parser.parse(text).error())
    throw InputError({input.name()}, std::string("is not valid JSON: ") + simdjson::error_message(error),
                     "its lengths can be read, but records are copied from valid JSON only: correct it");
  return text;
}

std::size_t behind_json_value(std::string_view text, std::size_t at) {
  for (int depth = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && (c == ',' || c == ']' || c == '}')) return at;
    if (c == '"') at = behind_string(text, at) - 1;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
  }
  return at;
}

std::size_t find_json_key(std::string_view text, std::string_view key) {
  std::size_t at = text.find('{') + 1;
  while (at != 0 && at < text.size()) {
    const std::size_t name = text.find('"', at);
    if (name == std::string_view::npos) break;
    const std::size_t behind = behind_string(text, name);
    const std::size_t value = text.find(':', behind) + 1;
    if (text.substr(name + 1, behind - name - 2) == key) return value;
    at = behind_json_value(text, value) + 1;
  }
  return std::string_view::npos;
}

std::size_t for_each_json_element(std::string_view text, std::size_t open, const TakeRecord& take) {
  std::size_t at = open + 1;
  while (at < text.size()) {
    const std::size_t end = behind_json_value(text, at);
    const std::string_view element = trim(text.substr(at, end - at));
    if (!element.empty()) take(element);
    if (end >= text.size() || text[end] == ']') return end;
    at = end + 1;
  }
  return at;
}

void walk_json(Input& input, TextFrame& frame, const TakeRecord& take) {
  if (!is_json_array(input.head())) return walk_lines(input, frame, take);
  frame = {"[\n", ",\n", "\n]\n", {}};
  const std::string text = read_valid_json(input);
  for_each_json_element(text, text.find('['), take);
}

}  // namespace seqpoint
