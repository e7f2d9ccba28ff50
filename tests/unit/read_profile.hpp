/// \file
/// Reads profiles that exist only in a test.
#pragma once

#include <string>
#include <string_view>

#include "seqpoint/io/profiles/profile_formats.hpp"
#include "unit/reading.hpp"

namespace seqpoint::testing {

inline StepProfileFile read_profile_file(const std::string& name, std::string_view bytes, const NameRules* rules = nullptr,
                                         const std::string& format = {}, const MemoryFiles& files = {}) {
  ProfileReadOptions options;
  options.rules = rules;
  options.files = &files;
  return read_step_profile(Input::from_memory(name, bytes), options, format);
}

inline StepProfile read_steps(const std::string& name, std::string_view bytes, const NameRules* rules = nullptr) {
  return read_profile_file(name, bytes, rules).profile;
}

/// A database that SQL statements make, as its bytes.
std::string sqlite_bytes(const std::string& sql);

}  // namespace seqpoint::testing
