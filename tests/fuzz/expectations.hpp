/// \file
/// What every target asks of what it calls.
#pragma once

#include <cstdlib>
#include <string_view>
#include <vector>

#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::fuzz {

/// Errors of ours are what a bad input should end in. An input's error names the input.
template <class Read>
void expect_value_or_error(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    if (error.problems().empty() || error.problems().front().where.source.empty()) std::abort();
  } catch (const UsageError&) {
  }
}

inline void expect(bool right) {
  if (!right) std::abort();
}

inline io::stream::Input input_of(std::string_view bytes) { return io::stream::Input::from_memory("fuzz", bytes); }

/// The part of `bytes` before the first zero, which is taken off together with it: several files in one input.
inline std::string_view take_part(std::string_view& bytes) {
  const std::string_view part = bytes.substr(0, bytes.find('\0'));
  bytes.remove_prefix(part.size() < bytes.size() ? part.size() + 1 : bytes.size());
  return part;
}

}  // namespace seqpoint::fuzz
