#include "json_records.hpp"

#include <algorithm>
#include <optional>

#include "block_parser.hpp"
#include "json_probe.hpp"
#include "json_whole.hpp"

namespace seqpoint {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(Block::kPadding >= simdjson::SIMDJSON_PADDING);

std::string describe(simdjson::error_code error) {
  if (error == simdjson::INCORRECT_TYPE) return "is not a JSON object";
  return std::string("is not valid JSON: ") + simdjson::error_message(error);
}

/// Walks a document or a document of a stream.
template <class Document>
simdjson::error_code walk(Document& document, JsonRecord& record) {
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  return record.walk(object);
}

/// Whether lines are worth comparing with the shapes of lines before them: not where these turned out to differ.
class Patience {
 public:
  bool lasts() { return wait_ == 0 || --wait_ == 0; }
  void tell(std::uint64_t lines, std::uint64_t misses) { wait_ = 2 * misses > lines ? kBlocks : 0; }

 private:
  static constexpr unsigned kBlocks = 16;  // until the next attempt
  unsigned wait_ = 0;
};

/// The rows of blocks of JSON lines. A line of the shape of one before it is not parsed at all, any other for itself. Where hardly
/// two lines have the same shape, a block is first read as one stream of documents, which is faster than a line at a time; unless
/// every line is just one good document, it is read again line by line, which finds what is wrong and where.
class JsonRows : public BlockParser {
 public:
  explicit JsonRows(std::unique_ptr<JsonRecord> record)
      : record_(std::move(record)), has_shapes_(record_->list_values(values_)) {
    stream_parser_.threaded = false;
  }

  std::uint64_t parse(const Block& block, RowSink& rows) override {
    const bool by_shape = has_shapes_ && patience_.lasts();
    if (!by_shape)
      if (const auto lines = parse_stream(block, rows)) return *lines;
    rows.clear();
    return parse_lines(block, rows);
  }

 private:
  std::uint64_t parse_lines(const Block& block, RowSink& rows) {
    std::uint64_t lines = 0, misses = 0;
    for (std::string_view rest = block.bytes; !rest.empty();) {
      ++lines;
      const JsonShapes::Match match = shapes_.match(rest.data());
      if (match.end != nullptr) {
        rest.remove_prefix(static_cast<std::size_t>(match.end - rest.data()));
        if (!match.same_shape) record_->forget();
        record_->take(match.values);
        record_->store(lines, rows);
        continue;
      }
      ++misses;
      const char* const begin = rest.data();
      const std::string_view text = take_line(rest);
      if (!trim(text).empty() && parse_line(lines, text, rows)) learn({begin, rest.data()});
    }
    patience_.tell(lines, misses);
    return lines;
  }

  /// `line` is the one parsed last, with its line end.
  void learn(std::string_view line) {
    values_.clear();
    if (record_->list_values(values_)) shapes_.add(line, values_);
  }

  /// The number of lines; nothing unless every one of them is a document.
  std::optional<std::uint64_t> parse_stream(const Block& block, RowSink& rows) {
    const std::string_view text = block.bytes;
    ondemand::document_stream stream;
    if (stream_parser_.iterate_many(text.data(), text.size(), std::max<std::size_t>(text.size(), kSmallestBatch)).get(stream))
      return std::nullopt;
    std::uint64_t lines = 0;
    std::size_t line_begin = 0;
    for (auto at = stream.begin(); at != stream.end(); ++at) {
      ondemand::document_reference document;
      if (at.current_index() != line_begin || (*at).get(document) || walk(document, *record_)) return std::nullopt;
      record_->store(++lines, rows);
      const auto newline = text.find('\n', line_begin);
      line_begin = newline == std::string_view::npos ? text.size() : newline + 1;
    }
    if (line_begin != text.size() || stream.truncated_bytes() != 0) return std::nullopt;
    return lines;
  }

  /// Whether `text` is a record. It has Block::kPadding readable bytes behind it.
  bool parse_line(std::uint64_t line, std::string_view text, RowSink& rows) {
    ondemand::document document;
    auto error = line_parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document);
    if (!error) error = walk(document, *record_);
    const bool whole = !error && at_end(document);
    if (error)
      rows.corrupt(line, describe(error));
    else if (!whole)
      rows.corrupt(line, "has text behind its JSON object");
    else
      record_->store(line, rows);
    return whole;
  }

  static constexpr std::size_t kSmallestBatch = 64;  // simdjson takes no smaller one

  std::unique_ptr<JsonRecord> record_;
  ondemand::parser stream_parser_, line_parser_;
  std::vector<JsonValue> values_;
  bool has_shapes_;
  JsonShapes shapes_;
  Patience patience_;
};

constexpr auto kWholeHint = "is the file whole? a large one is better written as JSON lines, a record a line";

/// The elements of an input that is one array. `take(line, value)` says what is wrong with an element.
template <class Take>
void for_each_element(Input& input, RowSink& sink, Take take) {
  WholeJson whole(input);
  const auto error = whole.walk([&](ondemand::document& document) {
    ondemand::array array;
    if (const auto fault = document.get_array().get(array)) return fault;
    for (auto element : array) {
      ondemand::value value;
      if (const auto fault = std::move(element).get(value)) return fault;
      if (const auto fault = take(whole.line_of(value), value)) return fault;
    }
    return simdjson::SUCCESS;
  });
  if (!error) return;
  sink.raise_problems();
  throw InputError({sink.source(), whole.line()}, "is not one JSON array of records: " + std::string(simdjson::error_message(error)), kWholeHint);
}

}  // namespace

void read_json_records(Input& input, RowSink& sink, const MakeJsonRecord& make) {
  if (!is_json_array(input.head())) {
    BlockReader blocks(input);
    return parse_blocks(blocks, sink, [&] { return std::make_unique<JsonRows>(make()); });
  }
  const std::unique_ptr<JsonRecord> record = make();
  for_each_element(input, sink, [&](std::uint64_t line, ondemand::value value) {
    if (const auto error = walk(value, *record)) return error;
    record->store(line, sink);
    return simdjson::SUCCESS;
  });
}

void require_json_object(std::string_view line, const std::string& source) {
  if (line.empty()) throw InputError({source}, "is empty", "check how it was made");
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(line.data(), line.size()).get(object))
    throw InputError({source, 1}, describe(error), "JSON lines hold one whole object a line; correct this line, or take it out");
}

void read_json_numbers(Input& input, RowSink& sink) {
  for_each_element(input, sink, [&](std::uint64_t line, ondemand::value value) {
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
