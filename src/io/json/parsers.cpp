#include "io/json/parsers.hpp"

#include <algorithm>

#include "io/json/ondemand.hpp"

namespace seqpoint::io::json {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(Block::kPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t kSmallestBatch = 64;  // simdjson takes no smaller one

/// Opens the object that a document is, and hands it over.
template <class Document>
simdjson::error_code walk_record(Document& document, void (*call)(void*, Value), void* walk) {
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  simdjson::error_code fault = simdjson::SUCCESS;
  OpenValue open{object, fault};
  call(walk, Value(open));
  return fault;
}

}  // namespace

struct RecordParser::Parsers {
  ondemand::parser stream, line;
};

RecordParser::RecordParser() : parsers_(std::make_unique<Parsers>()) { parsers_->stream.threaded = false; }

RecordParser::~RecordParser() = default;

RecordParser::Result RecordParser::parse(std::string_view text, CallWalk call, void* walk) {
  ondemand::document document;
  auto error = parsers_->line.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document);
  if (!error) error = walk_record(document, call, walk);
  return {Fault(error), !error && !at_end(document)};
}

std::optional<std::uint64_t> RecordParser::parse_lines(std::string_view text, CallWalk call, void* walk) {
  ondemand::document_stream stream;
  if (parsers_->stream.iterate_many(text.data(), text.size(), std::max(text.size(), kSmallestBatch)).get(stream))
    return std::nullopt;
  std::uint64_t lines = 0;
  std::size_t line_begin = 0;
  for (auto at = stream.begin(); at != stream.end(); ++at) {
    ondemand::document_reference document;
    if (at.current_index() != line_begin || (*at).get(document) || walk_record(document, call, walk))
      return std::nullopt;
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

DocumentParser::DocumentParser(Input& input) : parser_(std::make_unique<Parser>()), text_(input.read_all()) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);
  size_ = text_.size();
  text_.append(Block::kPadding, '\0');
  counted_ = text_.data();
}

DocumentParser::~DocumentParser() = default;

Fault DocumentParser::walk(bool object, void (*call)(void*, Value), void* context) {
  ondemand::document document;
  if (const auto error = parser_->parser.iterate(text_.data(), size_, text_.size()).get(document)) return Fault(error);
  if (object) {
    if (const auto error = walk_record(document, call, context)) return Fault(error);
  } else {
    ondemand::array array;
    if (const auto error = document.get_array().get(array)) return Fault(error);
    simdjson::error_code fault = simdjson::SUCCESS;
    OpenValue open{array, fault};
    call(context, Value(open));
    if (fault) return Fault(fault);
  }
  return Fault(at_end(document) ? simdjson::SUCCESS : simdjson::TAPE_ERROR);
}

std::uint64_t DocumentParser::line_of(const Value& value) {
  const char* at = nullptr;
  auto* const open = std::get_if<ondemand::value>(&value.open_->at);
  if (open == nullptr || open->current_location().get(at) != simdjson::SUCCESS) return line_;
  line_ += static_cast<std::uint64_t>(std::count(counted_, at, '\n'));
  counted_ = at;
  return line_;
}

Fault fault_of(std::string_view text) {
  simdjson::dom::parser parser;
  return Fault(parser.parse(text.data(), text.size()).error());
}

Fault fault_of_object(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  return Fault(parser.parse(text.data(), text.size()).get(object));
}

}  // namespace seqpoint::io::json
