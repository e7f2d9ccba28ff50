/// \file
/// JSON, one object a line.
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>

#include "block_parser.hpp"

namespace seqpoint {

/// What is wrong with a line, in words.
std::string json_problem(simdjson::error_code error);

/// The rows of blocks of JSON lines. A Record finds what it needs in a document, `find(document)`, which returns an error
/// code, and makes a row of it, `add(line, rows)`. A block is first read as one stream of documents, which is fast; unless
/// every line is just one good document, it is read again line by line, which finds what is wrong and where.
template <class Record>
class JsonRows : public BlockParser {
 public:
  template <class... Arguments>
  explicit JsonRows(const Arguments&... of_record) : record_(of_record...) { stream_parser_.threaded = false; }

  std::uint64_t parse(const Block& block, RowSink& rows) override {
    if (const auto lines = parse_stream(block, rows)) return *lines;
    rows.clear();
    std::uint64_t lines = 0;
    for (std::string_view rest = block.bytes; !rest.empty();) {
      const std::string_view text = take_line(rest);
      ++lines;
      if (!trim(text).empty()) parse_line(lines, text, rows);
    }
    return lines;
  }

 private:
  /// The number of lines; nothing unless every one of them is a document.
  std::optional<std::uint64_t> parse_stream(const Block& block, RowSink& rows) {
    const std::string_view text = block.bytes;
    simdjson::ondemand::document_stream stream;
    if (stream_parser_.iterate_many(text.data(), text.size(), std::max<std::size_t>(text.size(), kSmallestBatch)).get(stream))
      return std::nullopt;
    std::uint64_t lines = 0;
    std::size_t line_begin = 0;
    for (auto at = stream.begin(); at != stream.end(); ++at) {
      simdjson::ondemand::document_reference document;
      if (at.current_index() != line_begin || (*at).get(document) || record_.find(document)) return std::nullopt;
      record_.add(++lines, rows);
      const auto newline = text.find('\n', line_begin);
      line_begin = newline == std::string_view::npos ? text.size() : newline + 1;
    }
    if (line_begin != text.size() || stream.truncated_bytes() != 0) return std::nullopt;
    return lines;
  }

  /// `text` has Block::kPadding readable bytes behind it.
  void parse_line(std::uint64_t line, std::string_view text, RowSink& rows) {
    simdjson::ondemand::document document;
    auto error = line_parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document);
    if (!error) error = record_.find(document);
    if (error) return rows.corrupt(line, json_problem(error));
    const char* behind = nullptr;
    if (document.current_location().get(behind) != simdjson::OUT_OF_BOUNDS)
      return rows.corrupt(line, "has text behind its JSON object");
    record_.add(line, rows);
  }

  static constexpr std::size_t kSmallestBatch = 64;  // simdjson takes no smaller one

  Record record_;
  simdjson::ondemand::parser stream_parser_, line_parser_;
};

/// Reads an input of JSON lines; each thread makes a Record of its own.
template <class Record, class... Arguments>
void read_json_lines(Input& input, RowSink& sink, const Arguments&... of_record) {
  BlockReader blocks(input);
  parse_blocks(blocks, sink, [&] { return std::make_unique<JsonRows<Record>>(of_record...); });
}

}  // namespace seqpoint
