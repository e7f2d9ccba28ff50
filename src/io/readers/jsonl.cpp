// JSON, one object a line, with a number for the length or a text whose tokens are counted.
#include <array>
#include <span>

#include "columns.hpp"
#include "formats.hpp"
#include "json_rows.hpp"

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
    token_ = text_ = {};
    times_ = 0;
  }
  void found(std::string_view token, std::string_view text) {
    token_ = token;
    text_ = text;
    ++times_;
  }
  /// The value as written; empty: the record has no such key, or null there.
  std::string_view value() const { return token_ == "null" ? std::string_view{} : token_; }
  bool is_text() const { return token_.starts_with('"'); }
  std::string_view text() const { return text_; }  ///< a string's characters
  unsigned times() const { return times_; }  ///< how often the key stands in the record

 private:
  /// A key that really has dots in its name.
  bool is_whole(ondemand::raw_json_string key, std::size_t depth) const { return depth == 0 && key == std::string_view(key_); }

  std::string_view token_, text_;
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
    std::array<KeyFinder*, 2> here{}, inside{};
    std::size_t ending = 0, descending = 0;
    for (KeyFinder* const finder : finders)
      if (finder->wants(key, depth)) (finder->ends_at(key, depth) ? here[ending++] : inside[descending++]) = finder;
    if (ending > 0) {
      const std::string_view token = trim(field.value().raw_json_token());
      std::string_view text;
      if (token.starts_with('"'))
        if (const auto error = field.value().get_string().get(text)) return error;
      for (KeyFinder* const finder : std::span(here.data(), ending)) finder->found(token, text);
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

  void add(std::uint64_t line, RowSink& rows) {
    for (const KeyFinder* const finder : finders_)
      if (finder->times() > 1)
        return rows.corrupt(line, "the key stands there " + std::to_string(finder->times()) + " times", finder->key());
    if (count_ == 2)
      rows.add(line, length_of(src_, rows.is_target(), rows, src_tokens_), length_of(tgt_, true, rows, tgt_tokens_));
    else
      rows.add(line, length_of(src_, rows.is_target(), rows, src_tokens_));
  }

 private:
  /// Text counts where there is a tokenizer to count with.
  static std::string_view length_of(const KeyFinder& finder, bool target_side, RowSink& rows, std::string& tokens) {
    if (!finder.is_text() || !rows.has_tokenizer()) return finder.value();
    tokens = std::to_string(rows.count_tokens(finder.text(), target_side));
    return tokens;
  }

  KeyFinder src_, tgt_;
  std::array<KeyFinder*, 2> finders_{&src_, &tgt_};
  std::size_t count_;
  std::string src_tokens_, tgt_tokens_;
};

/// The keys of the first record, for the choice of columns.
std::vector<std::string> keys_of(std::string_view record, const std::string& source) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(record.data(), record.size()).get(object))
    throw InputError({source, 1}, json_problem(error), "JSON lines hold one whole object a line; correct this line, or take it out");
  std::vector<std::string> keys;
  for (const auto& [key, value] : object) keys.emplace_back(key);
  return keys;
}

void read_jsonl(Input& input, RowSink& sink) {
  std::string src = sink.asked_field(), tgt = sink.asked_target_field();
  if (src.empty()) {
    choose_columns(keys_of(first_line(input.head()), sink.source()), 1, sink);
    src = sink.src_field();
    tgt = sink.tgt_field();
  }
  sink.set_columns(src, tgt);
  read_json_lines<RecordKeys>(input, sink, src, tgt);
}

bool is_jsonl(const Probe& probe) { return trim(first_line(probe.head)).starts_with('{'); }

}  // namespace

const Reader kJsonl{"jsonl", "JSON lines with a number for the length; nested keys are dotted", R"({"id": "c1", "num_tokens": 17})",
                    is_jsonl, read_jsonl};

}  // namespace seqpoint
