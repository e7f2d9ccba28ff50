/// \file
/// What tests ask of a profile that was read.
#pragma once

#include <string>

#include "seqpoint/error.hpp"
#include "unit/read_profile.hpp"

namespace seqpoint::testing {

/// What the reader says that it will not read; empty where it reads it.
inline std::string problem_of(const std::string& name, const std::string& text, const std::string& format = {}) {
  try {
    read_profile_file(name, text, nullptr, format);
  } catch (const InputError& error) {
    return error.problems().front().message();
  }
  return {};
}
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace seqpoint::testing
