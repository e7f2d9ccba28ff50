/// \file
/// The published JSON Schemas (draft 2020-12) of our JSON artefacts.
#pragma once

#include <span>
#include <string_view>

namespace seqpoint::io::artifacts {

/// `kind` is the one in an artefact's "schema": "seqpoint/<kind>/1"; `text` is share/schemas/<kind>.json, byte for
/// byte.
struct Schema {
  std::string_view kind, text;
};
std::span<const Schema> schemas();

}  // namespace seqpoint::io::artifacts
