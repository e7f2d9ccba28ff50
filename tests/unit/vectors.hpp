/// \file
/// Vectors that the frameworks' own code produced; tests/vectors/README.md says how.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace seqpoint::testing {

inline nlohmann::json load_vectors(const std::string& name) {
  std::ifstream file(std::string(SEQPOINT_SOURCE_DIR) + "/tests/vectors/" + name);
  return nlohmann::json::parse(file);
}

}  // namespace seqpoint::testing
