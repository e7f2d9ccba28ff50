#include "io/manifests/engine/json_records.hpp"

#include <algorithm>

#include "io/json/cursor.hpp"
#include "io/json/json_scan.hpp"
#include "io/manifests/engine/block_parser.hpp"

namespace seqpoint::io::manifests::engine {
namespace {

namespace json = io::json;

/// The text of a fault, for errors.
std::string describe(json::Fault fault) {
  return fault.is_wrong_type() ? "is not a JSON object" : "is not valid JSON: " + fault.message();
}

/// Decides per block whether its lines are compared with templates. After a block in which most lines matched none, the
/// next blocks are parsed without comparing.
class TemplateBackoff {
 public:
  /// Whether the next block is to be compared with templates. To be called once for every block.
  bool should_compare() { return blocks_until_comparison_ == 0 || --blocks_until_comparison_ == 0; }
  /// To be called for every block that was compared. `misses`: lines that matched no template.
  void record_block(std::uint64_t lines, std::uint64_t misses) {
    blocks_until_comparison_ = 2 * misses > lines ? kSkippedBlocks : 0;
  }

 private:
  static constexpr unsigned kSkippedBlocks = 16;
  unsigned blocks_until_comparison_ = 0;  ///< blocks until the next comparison
};

/// The rows of blocks of JSON lines. A line that matches the template of an earlier line is not parsed; any other line
/// is parsed by itself. If few lines match, a block is parsed as one stream of documents, which is faster than line by
/// line. If some line is not exactly one valid object, the block is parsed again line by line, which locates the error.
class JsonLinesParser : public BlockParser {
 public:
  explicit JsonLinesParser(std::unique_ptr<JsonRecord> record)
      : record_(std::move(record)), supports_templates_(record_->list_values(values_)) {}

  std::uint64_t parse(const stream::Block& block, RowSink& rows) override {
    const bool compare = supports_templates_ && backoff_.should_compare();
    if (!compare)
      if (const auto lines = parse_stream(block, rows)) return *lines;
    rows.clear();
    return parse_lines(block, rows);
  }

 private:
  /// Compares each line with templates, parses it if none matches, and adds its row. Returns the number of lines.
  std::uint64_t parse_lines(const stream::Block& block, RowSink& rows) {
    std::uint64_t lines = 0, misses = 0;
    for (std::string_view rest = block.bytes; !rest.empty();) {
      ++lines;
      const json::LineTemplates::Match match = templates_.match(rest.data());
      if (match.end != nullptr) {
        rest.remove_prefix(static_cast<std::size_t>(match.end - rest.data()));
        if (!match.same_template) record_->clear_values();
        record_->set_values(match.values);
        record_->store(lines, rows);
        continue;
      }
      ++misses;
      const char* const begin = rest.data();
      const std::string_view text = stream::take_line(rest);
      if (!text::trim(text).empty() && parse_line(lines, text, rows)) add_template({begin, rest.data()});
    }
    backoff_.record_block(lines, misses);
    return lines;
  }

  /// Adds the template of the line that was parsed last, if its values allow it. `line` includes its line end.
  void add_template(std::string_view line) {
    values_.clear();
    if (record_->list_values(values_)) templates_.add(line, values_);
  }

  /// Parses all lines of a block as one stream, and adds their rows. The number of lines; nothing unless every line is
  /// a record, and then some rows may have been added.
  std::optional<std::uint64_t> parse_stream(const stream::Block& block, RowSink& rows) {
    std::uint64_t lines = 0;
    return parser_.parse_lines(block.bytes, [&](json::Value record) {
      record_->walk(record);
      if (record.good()) record_->store(++lines, rows);
    });
  }

  /// Adds the row of a line; adds a problem and returns false if the line is not exactly one JSON object. `text` has
  /// Block::kPadding readable bytes after it.
  bool parse_line(std::uint64_t line, std::string_view text, RowSink& rows) {
    const auto result = parser_.parse(text, [&](json::Value record) { record_->walk(record); });
    if (result.fault)
      rows.add_corrupt(line, describe(result.fault));
    else if (result.has_more_text)
      rows.add_corrupt(line, "has text behind its JSON object");
    else
      record_->store(line, rows);
    return !result.fault && !result.has_more_text;
  }

  std::unique_ptr<JsonRecord> record_;
  json::RecordParser parser_;
  std::vector<json::WantedValue> values_;
  bool supports_templates_;
  json::LineTemplates templates_;
  TemplateBackoff backoff_;
};

/// Calls `take(line, element)` for every element of an input that is one array. For a fault in the array, throws the
/// sink's problems if there are any, else InputError.
template <class Take>
void for_each_element(stream::Input& input, RowSink& sink, Take take) {
  json::DocumentParser document(input);
  const json::Fault fault =
      document.for_each_element([&](json::Value element) { take(document.line_of(element), element); });
  if (!fault) return;
  sink.throw_problems();
  throw InputError({sink.file.path(), document.line()}, "is not one JSON array of records: " + fault.message(),
                   "check that the file is whole; write a large one as JSON lines, a record a line");
}

}  // namespace

void read_json_records(stream::Input& input, RowSink& sink, const MakeJsonRecord& make) {
  if (!json::is_array(input.head())) {
    stream::BlockReader blocks(input);
    return parse_blocks(blocks, sink, [&] { return std::make_unique<JsonLinesParser>(make()); });
  }
  const std::unique_ptr<JsonRecord> record = make();
  for_each_element(input, sink, [&](std::uint64_t line, json::Value element) {
    record->walk(element);
    if (element.good()) record->store(line, sink);
  });
}

void require_json_object(std::string_view line, const std::string& source) {
  if (line.empty()) throw InputError({source}, "is empty", "check how it was made");
  if (const json::Fault fault = json::fault_of_object(line))
    throw InputError({source, 1}, describe(fault),
                     "JSON lines hold one whole object a line; correct this line, or take it out");
}

void read_json_numbers(stream::Input& input, RowSink& sink) {
  for_each_element(input, sink, [&](std::uint64_t line, json::Value element) {
    const std::string_view token = element.token();
    element.take_number();
    if (element.good()) sink.add(line, token);
  });
}

}  // namespace seqpoint::io::manifests::engine
