// Parsers that pass cursors.
#include <algorithm>

#include "io/json/cursor.hpp"
#include "io/json/ondemand.hpp"

namespace seqpoint::io::json {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(stream::Block::kPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t kSmallestBatch = 64;  // minimum that simdjson accepts

/// Calls `walk` for the document's outermost value, an object. Returns the first fault: the value is no object, or one
/// that `walk` found.
template <class Document>
simdjson::error_code walk_object(Document& document, Callback<Value> walk) {
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  simdjson::error_code fault = simdjson::SUCCESS;
  OpenValue open{.fault = fault, .object = &object};
  walk(Value(open));
  return fault;
}

}  // namespace

struct RecordParser::Parsers {
  ondemand::parser stream, line;
};

RecordParser::RecordParser() : parsers_(std::make_unique<Parsers>()) { parsers_->stream.threaded = false; }

RecordParser::~RecordParser() = default;

RecordParser::Result RecordParser::parse(std::string_view text, Callback<Value> walk) {
  ondemand::document document;
  auto error = parsers_->line.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document);
  if (!error) error = walk_object(document, walk);
  return {Fault(error), !error && !is_at_end(document)};
}

std::optional<std::uint64_t> RecordParser::parse_lines(std::string_view text, Callback<Value> walk) {
  ondemand::document_stream stream;
  if (parsers_->stream.iterate_many(text.data(), text.size(), std::max(text.size(), kSmallestBatch)).get(stream))
    return std::nullopt;
  std::uint64_t lines = 0;
  std::size_t line_begin = 0;
  for (auto at = stream.begin(); at != stream.end(); ++at) {
    ondemand::document_reference document;
    if (at.current_index() != line_begin || (*at).get(document) || walk_object(document, walk)) return std::nullopt;
    ++lines;
    const auto newline = text.find('\n', line_begin);
    line_begin = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  if (line_begin != text.size() || stream.truncated_bytes() != 0) return std::nullopt;
  return lines;
}

struct DocumentParser::Parser {
  ondemand::parser parser;
};

DocumentParser::DocumentParser(stream::Input& input) : parser_(std::make_unique<Parser>()), text_(input.read_text()) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);
  size_ = text_.size();
  text_.append(stream::Block::kPadding, '\0');
  lines_counted_to_ = text_.data();
}

DocumentParser::~DocumentParser() = default;

Fault DocumentParser::for_each_element(Callback<Value> take) {
  ondemand::document document;
  ondemand::array array;
  if (const auto error = parser_->parser.iterate(text_.data(), size_, text_.size()).get(document)) return Fault(error);
  if (const auto error = document.get_array().get(array)) return Fault(error);
  simdjson::error_code fault = simdjson::SUCCESS;
  OpenValue open{.fault = fault, .array = &array};
  Value(open).for_each_element(take);
  return Fault(fault || is_at_end(document) ? fault : simdjson::TAPE_ERROR);
}

std::uint64_t DocumentParser::line_of(const Value& value) {
  const char* at = nullptr;
  ondemand::value* const open = value.open_->value;
  if (open == nullptr || open->current_location().get(at) != simdjson::SUCCESS) return line_;
  line_ += static_cast<std::uint64_t>(std::count(lines_counted_to_, at, '\n'));
  lines_counted_to_ = at;
  return line_;
}

Fault fault_of_object(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  return Fault(parser.parse(text.data(), text.size()).get(object));
}

}  // namespace seqpoint::io::json
