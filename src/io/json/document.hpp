/// \file
/// Small JSON documents, parsed as a tree by nlohmann-json, and access to their members.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace seqpoint::io::json {

using Json = nlohmann::ordered_json;

/// Parses; throws InputError, with `hint` on what to do, for what is no JSON object.
Json parse_document(const std::string& source, std::string_view text, const std::string& hint);

/// The array at a key of the document. Throws InputError.
const Json& array_at(const Json& document, const char* key, const std::string& source, const std::string& hint);

/// A number, or a string that holds one; nothing for anything else, NaN and infinity included.
std::optional<double> number_at(const Json& object, const char* key);
/// Empty where there is no such text.
std::string text_at(const Json& object, const char* key);
bool true_at(const Json& object, const char* key);

/// The number at a key as a count of executions; at least 1, and 1 where there is none.
std::uint64_t count_at(const Json& object, const char* key);

}  // namespace seqpoint::io::json
