/// \file
/// The published JSON Schemas (draft 2020-12) of our JSON artefacts.
#pragma once

#include <span>
#include <string_view>

namespace seqpoint::io::artifacts {

/// A published JSON Schema. Lives as long as the program.
struct Schema {
  std::string_view kind,  ///< the one in an artefact's "schema": "seqpoint/KIND/1"
      text;               ///< share/schemas/KIND.json, byte for byte
};
/// Every schema, one a kind.
std::span<const Schema> schemas();

}  // namespace seqpoint::io::artifacts
