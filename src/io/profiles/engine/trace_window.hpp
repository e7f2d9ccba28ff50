/// \file
/// A window that moves over a trace file, with the padding that simdjson needs.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "io/stream/input.hpp"

namespace seqpoint::io::profiles::engine {

/// The part of a trace that is in memory: some MiB, and more for a longer value. A small trace has a small window,
/// because clearing a full one would take longer than reading the trace.
class TraceWindow {
 public:
  static constexpr std::size_t kSize = 4 * 1024 * 1024;  ///< for a trace that is not smaller

  explicit TraceWindow(stream::Input& input) : input_(input), memory_(kFirst + kFront + stream::Block::kPadding) {}

  /// The bytes that use() has not consumed.
  std::string_view rest() const { return {memory_.data() + begin_, end_ - begin_}; }
  /// The beginning of rest(), to be changed. One byte before rest() and Block::kPadding bytes after it can be changed
  /// too.
  char* writable() { return memory_.data() + begin_; }
  /// Whether the window contains all of the trace that was not consumed.
  bool at_end() const { return at_end_; }
  /// Consumes the first `size` bytes of rest().
  void use(std::size_t size) { begin_ += size; }

  /// Moves unused bytes to the front and reads after them until the window is full; enlarges the window if nothing was
  /// used. Throws InputError if the window would become larger than 64 MiB.
  void advance();

 private:
  static constexpr std::size_t kFirst = 64 * 1024;
  static constexpr std::size_t kFront = 1;  ///< bytes before the events, for the "[" of a JSON array
  stream::Input& input_;
  std::vector<char> memory_;
  std::size_t begin_ = kFront, end_ = kFront;
  bool at_end_ = false;
};

}  // namespace seqpoint::io::profiles::engine
