#include "io/manifests/engine/json_lists.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/json/json_scan.hpp"
#include "io/manifests/engine/columns.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests::engine {
namespace {

namespace json = io::json;
using Json = nlohmann::ordered_json;

constexpr auto kHint = "give one object of lists, or a record a line";

/// Parses a JSON object. Throws InputError, with the line, if `text` is not valid JSON, and if it is another value.
/// `source`: name of the file, for errors.
Json parse_document(const std::string& source, std::string_view text) {
  try {
    Json document = Json::parse(text.begin(), text.end());
    if (!document.is_object()) throw InputError({source}, "is not a JSON object", kHint);
    return document;
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    const auto line = 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    throw InputError({source, line}, error.byte >= text.size() ? "ends before the JSON does" : "is not valid JSON",
                     kHint);
  } catch (const Json::exception&) {
    throw InputError({source}, "is not valid JSON", kHint);
  }
}

/// The array at a top-level key of the document. Throws InputError if the key is missing or has another value.
const Json& array_at(const Json& document, const std::string& key, const std::string& source) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_array())
    throw InputError({source, 0, key}, "is missing, or no array", kHint);
  return *found;
}

/// Whether a value, as written, is an array that begins with a number.
bool is_list_of_numbers(std::string_view value) {
  if (!value.starts_with('[')) return false;
  const std::size_t first = json::skip_blanks(value, 1);
  return first < value.size() && std::string_view("-0123456789").find(value[first]) != std::string_view::npos;
}

/// Whether the object at the start of `text` is followed by blanks only, as far as visible.
bool is_all(std::string_view text) {
  const std::size_t end = json::end_of_value(text, 0);
  return end == json::kIncomplete || json::skip_blanks(text, end) == text.size();
}

/// Adds a row: a number is a length, null a missing length, anything else corrupt.
void add(const Json& value, const std::string& field, RowSink& sink) {
  if (value.is_number()) return sink.add_number(0, value.get<double>());
  if (value.is_null()) return sink.add_missing(0, "is missing", field);
  sink.add_corrupt(0, fmt::format("row {}: is not a number", sink.rows.size()), field);
}

/// Adds a pair of numbers; a missing row if either value is anything else.
void add_pair(const Json& src, const Json& tgt, RowSink& sink) {
  if (src.is_number() && tgt.is_number()) return sink.add_number(0, src.get<double>(), tgt.get<double>());
  sink.add_missing(0, "one side is not a number", sink.src().name());
}

}  // namespace

std::vector<std::string> lists_of_lengths(std::string_view head, bool asked) {
  const std::string_view text = json::first_value(head);
  std::vector<std::string> names;
  if (!text.starts_with('{') || !is_all(text)) return names;
  for (const json::Member& member : json::members(text, 0))
    if (is_list_of_numbers(member.value) && names_one_number(member.key, asked)) names.emplace_back(member.key);
  return names;
}

void read_lists(stream::Input& input, RowSink& sink, const std::string& src, const std::string& tgt) {
  const std::string& path = sink.file.path();
  const Json document = parse_document(path, input.read_text());
  const Json& values = array_at(document, src, path);
  if (tgt.empty()) {
    for (const Json& value : values) add(value, src, sink);
    return;
  }
  const Json& targets = array_at(document, tgt, path);
  if (values.size() != targets.size())
    throw InputError({path, 0, tgt}, fmt::format("has {} elements, '{}' has {}", targets.size(), src, values.size()),
                     "the two sides of pairs have one each");
  for (std::size_t i = 0; i < values.size(); ++i) add_pair(values[i], targets[i], sink);
}

}  // namespace seqpoint::io::manifests::engine
