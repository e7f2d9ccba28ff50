// Files of which every line is a sample: a number, or text whose tokens are counted.
#include "formats.hpp"
#include "row_sink.hpp"
#include "text.hpp"

namespace seqpoint {
namespace {

template <class Take>
void for_each_line(Input& input, RowSink& sink, Take take) {
  BlockReader blocks(input);
  BlockReader::Block block;
  while (blocks.next(block)) {
    std::uint64_t line = block.first_line;
    while (!block.bytes.empty()) take(line++, take_line(block.bytes));
  }
  if (blocks.unterminated()) sink.note_unterminated();
}

/// Blank lines are passed over.
void read_list(Input& input, RowSink& sink) {
  for_each_line(input, sink, [&](std::uint64_t line, std::string_view text) {
    if (!trim(text).empty()) sink.add(line, text);
  });
}

void read_text(Input& input, RowSink& sink) {
  sink.set_columns("", "", LengthUnit::tokens);
  const TextSplit split = sink.options().split;
  const std::uint32_t added = sink.is_target() ? sink.options().add_tgt : sink.options().add_src;
  for_each_line(input, sink, [&](std::uint64_t line, std::string_view text) {
    sink.add_counted(line, count_tokens(text, split) + added);
  });
}

bool is_list(const Probe& probe) { return parse_number(first_line(probe.head)).fault == NumberFault::none; }
bool is_text(const Probe& probe) { return probe.has_target; }

}  // namespace

std::string_view first_line(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  std::string_view line;
  while (!head.empty() && trim(line).empty()) line = take_line(head);
  return line;
}

const Reader kList{"list", "one length a line", "213\\n225", is_list, read_list};
const Reader kText{"text", "one sample a line, tokens as --split says; guessed only with --tgt", "a man sleeps\\ntwo dogs run",
                   is_text, read_text};

}  // namespace seqpoint
