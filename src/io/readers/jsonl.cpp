// JSON, one object a line: NeMo's manifests, and any other with a number for the length.
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "block_parser.hpp"
#include "columns.hpp"
#include "formats.hpp"

namespace seqpoint {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kDeepestKey = 8;

/// A dotted key, and where the record that is being read has it.
class KeyFinder {
 public:
  explicit KeyFinder(std::string key) : key_(std::move(key)) {
    std::string_view rest = key_;
    while (parts_ < kDeepestKey) {
      const auto dot = rest.find('.');
      part_[parts_++] = rest.substr(0, dot);
      if (dot == std::string_view::npos) return;
      rest.remove_prefix(dot + 1);
    }
    throw UsageError("--length-field: '" + key_ + "' is nested too deeply");
  }
  KeyFinder(const KeyFinder&) = delete;
  KeyFinder& operator=(const KeyFinder&) = delete;

  bool wants(ondemand::raw_json_string key, std::size_t depth) const {
    return (depth < parts_ && key == part_[depth]) || is_whole(key, depth);
  }
  /// Whether the key's value is the number wanted, and not an object that holds it.
  bool ends_at(ondemand::raw_json_string key, std::size_t depth) const { return depth + 1 == parts_ || is_whole(key, depth); }
  const std::string& key() const { return key_; }

  void reset() {
    token_ = {};
    times_ = 0;
  }
  void found(std::string_view token) {
    token_ = token;
    ++times_;
  }
  /// The value's text; empty: the record has no such key, or null there.
  std::string_view value() const {
    const std::string_view text = trim(token_);
    return text == "null" ? std::string_view{} : text;
  }
  unsigned times() const { return times_; }  ///< how often the key stands in the record

 private:
  /// A key that really has dots in its name.
  bool is_whole(ondemand::raw_json_string key, std::size_t depth) const { return depth == 0 && key == std::string_view(key_); }

  std::string_view token_;
  unsigned times_ = 0;
  std::string key_;
  std::array<std::string_view, kDeepestKey> part_;
  std::size_t parts_ = 0;
};

/// Walks every key of an object, so that one that stands there twice is seen.
simdjson::error_code find_keys(ondemand::object object, std::span<KeyFinder* const> finders, std::size_t depth) {
  for (auto entry : object) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return error;
    const ondemand::raw_json_string key = field.key();
    std::array<KeyFinder*, 2> inside{};
    std::size_t descending = 0;
    for (KeyFinder* const finder : finders) {
      if (!finder->wants(key, depth)) continue;
      if (finder->ends_at(key, depth))
        finder->found(field.value().raw_json_token());
      else
        inside[descending++] = finder;
    }
    ondemand::object inner;
    if (descending == 0 || field.value().get(inner) != simdjson::SUCCESS) continue;
    if (const auto error = find_keys(inner, std::span(inside.data(), descending), depth + 1)) return error;
  }
  return simdjson::SUCCESS;
}

/// The lengths of one record.
class RecordKeys {
 public:
  RecordKeys(const std::string& src, const std::string& tgt) : src_(src), tgt_(tgt), count_(tgt.empty() ? 1 : 2) {}

  /// Looks for the keys in a document or a document of a stream.
  template <class Document>
  simdjson::error_code find(Document& document) {
    for (KeyFinder* const finder : finders_) finder->reset();
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return error;
    return find_keys(object, std::span(finders_.data(), count_), 0);
  }

  void add(std::uint64_t line, RowSink& rows) const {
    for (const KeyFinder* const finder : finders_)
      if (finder->times() > 1)
        return rows.corrupt(line, "the key stands there " + std::to_string(finder->times()) + " times", finder->key());
    if (count_ == 2)
      rows.add(line, src_.value(), tgt_.value());
    else
      rows.add(line, src_.value());
  }

 private:
  KeyFinder src_, tgt_;
  std::array<KeyFinder*, 2> finders_{&src_, &tgt_};
  std::size_t count_;
};

std::string describe(simdjson::error_code error) {
  if (error == simdjson::INCORRECT_TYPE) return "is not a JSON object";
  return std::string("is not valid JSON: ") + simdjson::error_message(error);
}

/// The rows of blocks of JSON lines. A block is first read as one stream of documents, which is fast; unless every line is
/// just one good document, it is read again line by line, which finds what is wrong and where.
class JsonRows : public BlockParser {
 public:
  JsonRows(const std::string& src, const std::string& tgt) : keys_(src, tgt) { stream_parser_.threaded = false; }

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
    ondemand::document_stream stream;
    if (stream_parser_.iterate_many(text.data(), text.size(), std::max<std::size_t>(text.size(), kSmallestBatch)).get(stream))
      return std::nullopt;
    std::uint64_t lines = 0;
    std::size_t line_begin = 0;
    for (auto at = stream.begin(); at != stream.end(); ++at) {
      ondemand::document_reference document;
      if (at.current_index() != line_begin || (*at).get(document) || keys_.find(document)) return std::nullopt;
      keys_.add(++lines, rows);
      const auto newline = text.find('\n', line_begin);
      line_begin = newline == std::string_view::npos ? text.size() : newline + 1;
    }
    if (line_begin != text.size() || stream.truncated_bytes() != 0) return std::nullopt;
    return lines;
  }

  /// `text` has Block::kPadding readable bytes behind it.
  void parse_line(std::uint64_t line, std::string_view text, RowSink& rows) {
    ondemand::document document;
    auto error = line_parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document);
    if (!error) error = keys_.find(document);
    if (error) return rows.corrupt(line, describe(error));
    const char* behind = nullptr;
    if (document.current_location().get(behind) != simdjson::OUT_OF_BOUNDS)
      return rows.corrupt(line, "has text behind its JSON object");
    keys_.add(line, rows);
  }

  static constexpr std::size_t kSmallestBatch = 64;  // simdjson takes no smaller one

  RecordKeys keys_;
  ondemand::parser stream_parser_, line_parser_;
};

/// The keys of the first record, for the choice of columns.
std::vector<std::string> keys_of(std::string_view record, const std::string& source) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(record.data(), record.size()).get(object))
    throw InputError({source, 1}, describe(error), "JSON lines hold one whole object a line; correct this line, or take it out");
  std::vector<std::string> keys;
  for (const auto& [key, value] : object) keys.emplace_back(key);
  return keys;
}

void read_records(Input& input, RowSink& sink, const std::string& src, const std::string& tgt) {
  BlockReader blocks(input);
  parse_blocks(blocks, sink, [&] { return std::make_unique<JsonRows>(src, tgt); });
}

void read_jsonl(Input& input, RowSink& sink) {
  std::string src = sink.asked_field(), tgt = sink.asked_target_field();
  if (src.empty()) {
    choose_columns(keys_of(first_line(input.head()), sink.source()), 1, sink);
    src = sink.src_field();
    tgt = sink.tgt_field();
  }
  sink.set_columns(src, tgt);
  read_records(input, sink, src, tgt);
}

/// NeMo's own reader takes `duration`, in seconds, and where a record has none, `context_duration`.
void read_nemo(Input& input, RowSink& sink) {
  if (!sink.asked_field().empty()) return read_jsonl(input, sink);
  sink.set_columns("duration", "", LengthUnit::seconds);
  read_records(input, sink, "duration", "");
}

bool is_jsonl(const Probe& probe) { return trim(first_line(probe.head)).starts_with('{'); }
bool is_nemo(const Probe& probe) {
  const std::string_view line = first_line(probe.head);
  const auto has = [&](std::string_view key) { return line.find(key) != std::string_view::npos; };
  return is_jsonl(probe) && (has("\"audio_filepath\"") || has("\"audio_filename\"")) && has("\"duration\"");
}

}  // namespace

const Reader kNemo{"nemo", "NeMo manifest: JSON lines with audio_filepath and duration (seconds)",
                   R"({"audio_filepath": "u1.wav", "duration": 3.42, "text": "good morning"})", is_nemo, read_nemo};
const Reader kJsonl{"jsonl", "JSON lines with a number for the length; nested keys are dotted", R"({"id": "c1", "num_tokens": 17})",
                    is_jsonl, read_jsonl};

}  // namespace seqpoint
