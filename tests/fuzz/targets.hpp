/// \file
/// What the fuzzer feeds: any bytes must come back as a value or as an error of ours, never as anything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

void projection(std::string_view bytes);
/// SeqPoints, and the page that they make.
void page(std::string_view bytes);
/// SeqPoints, a zero and a profile: matched and projected.
void join(std::string_view bytes);
/// Two shards with a zero between them.
/// An expression for names of steps, a zero and a name.
void step_pattern(std::string_view bytes);
/// A stream that is unpacked, and bytes to be packed: nothing depends on how much is read at once.
void gzip(std::string_view bytes);
void zstd(std::string_view bytes);

/// The target of that name: one of the above, "guess", "steps-guess", a format, or "steps-" and a profile's format;
/// false for any other name.
bool feed(std::string_view target, std::string_view bytes);
/// Whether its inputs begin with a JSON document.
bool is_document(std::string_view target);

/// Another input, of at most `most` bytes, made of one that begins with a JSON document. libFuzzer's, not in the
/// replay.
std::size_t mutate_document(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

}  // namespace seqpoint::fuzz
