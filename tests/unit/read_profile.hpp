/// \file
/// Reads profiles that exist only in a test.
#pragma once

#include <string>
#include <string_view>

#include "io/profiles/profile_formats.hpp"

namespace seqpoint::testing {

inline io::profiles::StepProfileFile read_profile_file(const std::string& name, std::string_view bytes,
                                                       const profile::NameRules* rules = nullptr,
                                                       const std::string& format = {}) {
  static const profile::NameRules kNone{};
  return io::profiles::read_step_profile(io::stream::Input::from_memory(name, bytes), rules != nullptr ? *rules : kNone,
                                         format);
}

inline profile::StepProfile read_steps(const std::string& name, std::string_view bytes,
                                       const profile::NameRules* rules = nullptr) {
  return read_profile_file(name, bytes, rules).profile;
}

/// A database that SQL statements make, as its bytes.
std::string sqlite_bytes(const std::string& sql);

}  // namespace seqpoint::testing
