/// \file
/// Small JSON documents, parsed as a tree by nlohmann-json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace seqpoint::io::json {

using Json = nlohmann::ordered_json;

/// Parses a JSON object. Throws InputError, with the line and `hint`, if `text` is not valid JSON, and if it is another
/// value. `source`: name of the file, for errors.
Json parse_document(const std::string& source, std::string_view text, const std::string& hint);

/// The array at a top-level key of the document. Throws InputError, with `hint`, if the key is missing or has another
/// value. `source`: name of the file, for errors.
const Json& array_at(const Json& document, const char* key, const std::string& source, const std::string& hint);

}  // namespace seqpoint::io::json
