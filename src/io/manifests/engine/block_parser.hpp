/// \file
/// Parsing on several threads: each parses whole blocks, and rows are appended in the order of the input.
#pragma once

#include <functional>
#include <memory>

#include "io/manifests/dataset.hpp"
#include "io/manifests/row_sink.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::manifests::engine {

/// Turns blocks into rows. Each thread has its own parser, which gets whole blocks, in any order.
class BlockParser {
 public:
  virtual ~BlockParser() = default;
  /// Adds the rows of a block and returns its number of lines. Line numbers count from the block's first line, which
  /// is 1.
  virtual std::uint64_t parse(const stream::Block& block, RowSink& rows) = 0;
};

using MakeBlockParser = std::function<std::unique_ptr<BlockParser>()>;

/// Reads an input with parsers: a block that was read already, which begins at `first_line`, and all later ones. The
/// result does not depend on the number of threads (ReadOptions::threads). Notes a last line without line end.
void parse_blocks(stream::BlockReader& blocks, stream::Block first, std::uint64_t first_line, RowSink& rows,
                  const MakeBlockParser& make);
/// The same from the first block on.
void parse_blocks(stream::BlockReader& blocks, RowSink& rows, const MakeBlockParser& make);

}  // namespace seqpoint::io::manifests::engine
