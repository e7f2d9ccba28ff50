/// \file
/// Lines of an input in order, on one thread: for formats in which a line depends on the previous lines.
#pragma once

#include <string_view>

#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::manifests::engine {

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

}  // namespace seqpoint::io::manifests::engine
