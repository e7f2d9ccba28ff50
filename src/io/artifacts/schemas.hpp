/// \file
/// The published JSON Schemas (draft 2020-12) of our JSON output files.
#pragma once

#include <span>
#include <string_view>

namespace seqpoint::io::artifacts {

/// A published JSON Schema. Lives as long as the program.
struct Schema {
  std::string_view kind,  ///< kind of output file: `seqpoints`, `projection`, ...
      name,  ///< schema named in an output file: "seqpoint/KIND/NUMBER"; an incompatible change raises the number
      text;  ///< share/schemas/KIND.json, byte for byte
};
/// Every schema, one per kind.
std::span<const Schema> schemas();
/// The name of a kind's schema, "seqpoint/KIND/NUMBER". `kind` must have one.
std::string_view schema_name(std::string_view kind);

class JsonReader;
/// Throws InputError unless the document's schema is `kind` in the version that this program reads, and the document
/// conforms to it. Readers rely on that afterwards.
void require_schema(const JsonReader&, std::string_view kind);

}  // namespace seqpoint::io::artifacts
