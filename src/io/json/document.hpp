/// \file
/// Small JSON documents, parsed as a tree by nlohmann-json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace seqpoint::io::json {

using Json = nlohmann::ordered_json;

/// Parses; throws InputError, with the hint `hint`, if the text is not a JSON object.
Json parse_document(const std::string& source, std::string_view text, const std::string& hint);

/// The array at a key of the document. Throws InputError.
const Json& array_at(const Json& document, const char* key, const std::string& source, const std::string& hint);

}  // namespace seqpoint::io::json
