/// \file
/// What the fuzzer feeds: any bytes must come back as a value or as an error of ours, never as anything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace seqpoint::fuzz {

/// A manifest in the format that `format` names; empty: guessed. `threads` parse it.
void manifest(std::string_view format, std::string_view bytes, std::size_t threads);
void trace(std::string_view bytes);
void profile(std::string_view bytes);
void seqpoints(std::string_view bytes);

/// A profile in that format; empty: guessed.
void steps(std::string_view format, std::string_view bytes);
/// Tables of the user's that go with profiles, and names of steps.
void step_map(std::string_view bytes);

/// The target of that name (a format, "steps-" and a profile's format, "guess", "steps-guess", "step-map", "trace",
/// "profile" or "seqpoints"); false for any other name.
bool feed(std::string_view target, std::string_view bytes);

}  // namespace seqpoint::fuzz
