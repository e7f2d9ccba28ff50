#include "io/json/document.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/text/number.hpp"
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

std::optional<double> number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  if (!found->is_string()) return std::nullopt;
  const text::Number number = text::parse_number(found->get_ref<const std::string&>());
  return number.fault == text::NumberFault::none && std::isfinite(number.value) ? std::optional(number.value)
                                                                                : std::nullopt;
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool true_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::uint64_t count_at(const Json& object, const char* key) {
  constexpr double kMost = 1e15;  // whole numbers up to there are exact doubles
  return static_cast<std::uint64_t>(std::clamp(number_at(object, key).value_or(1), 1.0, kMost));
}

}  // namespace seqpoint::io::json
