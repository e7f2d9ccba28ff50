#include "json_records.hpp"

#include <algorithm>

#include "json_probe.hpp"

namespace seqpoint {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(BlockReader::kPadding >= simdjson::SIMDJSON_PADDING);

simdjson::error_code require_end(ondemand::document& document) {
  const char* behind = nullptr;
  const auto at_end = document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
  return at_end ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

/// `text` has BlockReader::kPadding readable bytes behind it.
simdjson::error_code walk_line(ondemand::parser& parser, std::string_view text, JsonRecord& record) {
  ondemand::document document;
  if (const auto error = parser.iterate(text.data(), text.size(), text.size() + BlockReader::kPadding).get(document))
    return error;
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  if (const auto error = record.walk(object)) return error;
  return require_end(document);
}

void read_lines(Input& input, RowSink& sink, JsonRecord& record) {
  ondemand::parser parser;
  BlockReader blocks(input);
  BlockReader::Block block;
  while (blocks.next(block)) {
    for (std::uint64_t line = block.first_line; !block.bytes.empty(); ++line) {
      const std::string_view text = take_line(block.bytes);
      if (trim(text).empty()) continue;
      if (const auto error = walk_line(parser, text, record))
        sink.corrupt(line, std::string("is not a JSON object: ") + simdjson::error_message(error));
      else
        record.store(line);
    }
  }
  if (blocks.unterminated()) sink.note_unterminated();
}

/// The input as one array. Elements are handed out with the line that they begin on.
class WholeArray {
 public:
  WholeArray(Input& input, RowSink& sink) : sink_(sink), text_(input.read_all()) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);
    size_ = text_.size();
    text_.append(BlockReader::kPadding, '\0');
    counted_ = text_.data();
  }

  /// `take(line, value)` says what is wrong with an element.
  template <class Take>
  void for_each(Take take) {
    if (const auto error = walk(take))
      sink_.corrupt(line_, error == simdjson::CAPACITY ? "is too large for one JSON array; write a record a line instead"
                                                       : std::string("is not one array of records: ") + simdjson::error_message(error));
  }

 private:
  template <class Take>
  simdjson::error_code walk(Take take) {
    ondemand::document document;
    if (const auto error = parser_.iterate(text_.data(), size_, text_.size()).get(document)) return error;
    ondemand::array array;
    if (const auto error = document.get_array().get(array)) return error;
    for (auto element : array) {
      ondemand::value value;
      if (const auto error = std::move(element).get(value)) return error;
      const char* at = nullptr;
      if (value.current_location().get(at) == simdjson::SUCCESS) count_lines(at);
      if (const auto error = take(line_, value)) return error;
    }
    return require_end(document);
  }

  void count_lines(const char* to) {
    line_ += static_cast<std::uint64_t>(std::count(counted_, to, '\n'));
    counted_ = to;
  }

  RowSink& sink_;
  std::string text_;
  std::size_t size_ = 0;
  ondemand::parser parser_;
  const char* counted_ = nullptr;  ///< lines are counted up to here
  std::uint64_t line_ = 1;
};

}  // namespace

void read_json_records(Input& input, RowSink& sink, JsonRecord& record) {
  if (!is_json_array(input.head())) return read_lines(input, sink, record);
  WholeArray(input, sink).for_each([&](std::uint64_t line, ondemand::value value) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    if (const auto error = record.walk(object)) return error;
    record.store(line);
    return simdjson::SUCCESS;
  });
}

void read_json_numbers(Input& input, RowSink& sink) {
  WholeArray(input, sink).for_each([&](std::uint64_t line, ondemand::value value) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type != ondemand::json_type::number) return simdjson::INCORRECT_TYPE;
    const std::string_view token = value.raw_json_token();
    double number = 0;
    if (const auto error = value.get_double().get(number)) return error;
    sink.add(line, token);
    return simdjson::SUCCESS;
  });
}

}  // namespace seqpoint
