// Files with one sample per line: a number, or text whose tokens are counted.
#include <fmt/core.h>

#include "io/manifests/engine/block_parser.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

/// Calls `take(line, text, rows)` for every line of a block; `line` counts from the block's first line, which is 1.
template <class Take>
class LineParser : public engine::BlockParser {
 public:
  explicit LineParser(Take take) : add_line_(take) {}
  std::uint64_t parse(const stream::Block& block, RowSink& rows) override {
    std::uint64_t lines = 0;
    for (std::string_view rest = block.bytes; !rest.empty();) add_line_(++lines, stream::take_line(rest), rows);
    return lines;
  }

 private:
  Take add_line_;
};

/// Calls `take(line, text, rows)` for every line of the input, on several threads; as in LineParser.
template <class Take>
void read_lines_in_parallel(stream::Input& input, RowSink& sink, Take take) {
  stream::BlockReader blocks(input);
  engine::parse_blocks(blocks, sink, [&] { return std::make_unique<LineParser<Take>>(take); });
}

/// Reads one length per line. Blank lines are skipped. Throws UsageError if the user names a field.
void read_list(stream::Input& input, RowSink& sink) {
  if (!sink.file.requested_field().empty())
    throw UsageError(fmt::format("--length-field: {} is a list of lengths and has no columns", sink.file.path()),
                     "leave it out");
  read_lines_in_parallel(input, sink, [](std::uint64_t line, std::string_view text, RowSink& rows) {
    if (!text::trim(text).empty()) rows.add(line, text);
  });
}

/// Reads one sample of text per line; a blank line is a sample too.
void read_text(stream::Input& input, RowSink& sink) {
  sink.set_computed(lengths::LengthUnit::tokens);
  read_lines_in_parallel(input, sink,
                         [](std::uint64_t line, std::string_view text, RowSink& rows) { rows.add_text(line, text); });
}

bool is_list(const Probe& probe) {
  return text::parse_number(text::first_line(probe.head)).fault == text::NumberFault::none;
}
bool is_text(const Probe& probe) { return probe.has_target; }

}  // namespace

const Reader kList{
    .name = "list",
    .summary = "one length a line",
    .example = "213\\n225",
    .recognises = is_list,
    .read = read_list,
};
const Reader kText{
    .name = "text",
    .summary = "one sample a line, tokens as --split says; guessed only with --tgt",
    .example = "a man sleeps\\ntwo dogs run",
    .recognises = is_text,
    .read = read_text,
};

}  // namespace seqpoint::io::manifests::formats
