// JSON, one object a line: NeMo's manifests, and any other with a number for the length.
#include <simdjson.h>

#include <array>
#include <span>

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

  bool wants(ondemand::raw_json_string key, std::size_t depth) const { return depth < parts_ && key == part_[depth]; }
  bool is_last(std::size_t depth) const { return depth + 1 == parts_; }
  const std::string& key() const { return key_; }

  std::string_view token;  ///< the value's text; empty: the record has no such key
  unsigned times = 0;      ///< how often the key stands in the record

 private:
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
    for (KeyFinder* const finder : finders) {
      if (!finder->wants(key, depth)) continue;
      if (finder->is_last(depth)) {
        finder->token = field.value().raw_json_token();
        ++finder->times;
        continue;
      }
      ondemand::object inner;
      if (field.value().get(inner) == simdjson::SUCCESS)
        if (const auto error = find_keys(inner, std::span(&finder, 1), depth + 1)) return error;
    }
  }
  return simdjson::SUCCESS;
}

class RecordParser {
 public:
  RecordParser(RowSink& sink, std::string src, std::string tgt) : sink_(sink), src_(std::move(src)), tgt_(std::move(tgt)) {
    finders_[0] = &src_;
    finders_[1] = &tgt_;
  }

  /// `text` has BlockReader::kPadding readable bytes behind it.
  void parse(std::uint64_t line, std::string_view text) {
    for (KeyFinder* const finder : finders_) {
      finder->token = {};
      finder->times = 0;
    }
    const auto error = walk(text);
    if (error != simdjson::SUCCESS) return sink_.corrupt(line, std::string("is not a JSON object: ") + simdjson::error_message(error));
    for (const KeyFinder* const finder : finders_)
      if (finder->times > 1) return sink_.corrupt(line, "the key stands there " + std::to_string(finder->times) + " times", finder->key());
    if (sink_.paired())
      sink_.add(line, value_of(src_), value_of(tgt_));
    else
      sink_.add(line, value_of(src_));
  }

 private:
  simdjson::error_code walk(std::string_view text) {
    ondemand::document document;
    if (const auto error = parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document))
      return error;
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return error;
    if (const auto error = find_keys(object, std::span(finders_.data(), sink_.paired() ? 2 : 1), 0)) return error;
    const char* behind = nullptr;
    const auto at_end = document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
    return at_end ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
  }

  /// null is a missing length, as a missing key is.
  static std::string_view value_of(const KeyFinder& finder) {
    const std::string_view token = trim(finder.token);
    return token == "null" ? std::string_view{} : token;
  }

  RowSink& sink_;
  KeyFinder src_, tgt_;
  std::array<KeyFinder*, 2> finders_{};
  ondemand::parser parser_;
};

/// The keys of the first record, for the choice of columns.
std::vector<std::string> keys_of(std::string_view record) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  std::vector<std::string> keys;
  if (parser.parse(record.data(), record.size()).get(object) != simdjson::SUCCESS) return keys;
  for (const auto& [key, value] : object)
    if (value.is_number() || value.is_null()) keys.emplace_back(key);
  return keys;
}

void read_records(Input& input, RowSink& sink, const std::string& src, const std::string& tgt) {
  RecordParser parser(sink, src, tgt);
  BlockReader blocks(input);
  BlockReader::Block block;
  while (blocks.next(block)) {
    std::uint64_t line = block.first_line;
    while (!block.bytes.empty()) {
      const std::string_view text = take_line(block.bytes);
      if (!trim(text).empty()) parser.parse(line, text);
      ++line;
    }
  }
  if (blocks.unterminated()) sink.note_unterminated();
}

void read_jsonl(Input& input, RowSink& sink) {
  std::string src = sink.asked_field(), tgt = sink.is_target() ? "" : sink.asked_target_field();
  if (src.empty()) {
    choose_columns(keys_of(first_line(input.head())), 1, sink);
    const std::string fields = sink.fields();
    src = fields.substr(0, fields.find(','));
    tgt = sink.paired() ? fields.substr(src.size() + 1) : "";
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
