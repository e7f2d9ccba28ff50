#include "io/json/document.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "seqpoint/error.hpp"

namespace seqpoint::io::json {

Json parse_document(const std::string& source, std::string_view text, const std::string& hint) {
  try {
    Json document = Json::parse(text.begin(), text.end());
    if (!document.is_object()) throw InputError({source}, "is not a JSON object", hint);
    return document;
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    const auto line = 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    throw InputError({source, line}, error.byte >= text.size() ? "ends before the JSON does" : "is not valid JSON",
                     hint);
  } catch (const Json::exception&) {
    throw InputError({source}, "is not valid JSON", hint);
  }
}

const Json& array_at(const Json& document, const char* key, const std::string& source, const std::string& hint) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_array())
    throw InputError({source, 0, key}, "is missing, or no array", hint);
  return *found;
}

}  // namespace seqpoint::io::json
