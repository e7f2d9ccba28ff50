/// \file
/// Lines of an input in order, on one thread: for formats in which a line depends on the previous lines.
#pragma once

#include <string_view>

#include "io/manifests/dataset.hpp"
#include "io/manifests/row_sink.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::manifests::engine {

// --- Lines in order

/// Calls `take(line, text)` for every line, blank ones too; `line` is 1-based, `text` is without its line end. False if
/// the last line had no line end.
template <class Take>
bool for_each_line(stream::Input& input, Take take) {
  stream::BlockReader blocks(input);
  stream::Block block;
  std::uint64_t line = 0;
  while (blocks.next(block))
    while (!block.bytes.empty()) {
      const std::string_view text = stream::take_line(block.bytes);
      take(++line, text);
    }
  return !blocks.unterminated();
}

// --- Lines of a key, blanks and a value: the tables of Kaldi and ESPnet

/// Removes the first word of `rest` and the blanks around what follows; returns the word. Words end at a space or tab;
/// the word is empty if `rest` begins with one.
std::string_view take_word(std::string_view& rest);

/// Calls `take(line, key, rest)` for every line that is not blank; `rest` is the text after the key, without blanks
/// around it, and may be empty. False if the last line had no line end.
template <class Take>
bool for_each_keyed_line(stream::Input& input, Take take) {
  return for_each_line(input, [&](std::uint64_t line, std::string_view text) {
    std::string_view rest = text::trim(text);
    if (rest.empty()) return;
    const std::string_view key = take_word(rest);
    take(line, key, rest);
  });
}

/// Calls `take(line, rest)` for every line that is not blank and has a new key, which is added to the sink; a repeated
/// key is a problem. `rest` is as in for_each_keyed_line().
template <class Take>
void read_keyed_rows(stream::Input& input, RowSink& sink, Take take) {
  const bool whole = for_each_keyed_line(input, [&](std::uint64_t line, std::string_view key, std::string_view rest) {
    if (sink.add_key(line, key)) take(line, rest);
  });
  if (!whole) sink.note_unterminated();
}

}  // namespace seqpoint::io::manifests::engine
