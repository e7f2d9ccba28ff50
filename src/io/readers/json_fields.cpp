#include "json_fields.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "columns.hpp"
#include "formats.hpp"
#include "io/json/first_record.hpp"
#include "json_records.hpp"

namespace seqpoint {
namespace {

namespace json = io::json;

constexpr std::size_t kDeepestKey = 8;

/// A value as far as lengths go. Views are valid until the next record is read.
struct FieldValue {
  std::string_view token = {};  ///< as written; of an array, the opening bracket
  std::string_view text = {};   ///< a string's characters
  bool array = false;
  json::ElementCount count = {};  ///< of the array
};

/// A dotted key, and what the record that is being read has there.
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

  bool wants(json::Key key, std::size_t depth) const {
    return (depth < parts_ && key == part_[depth]) || is_whole(key, depth);
  }
  /// Whether the key's value is the length wanted, and not an object that holds it.
  bool ends_at(json::Key key, std::size_t depth) const { return depth + 1 == parts_ || is_whole(key, depth); }
  const std::string& key() const { return key_; }

  void forget() {
    value_ = {};
    times_ = 0;
  }
  void found(const FieldValue& value) {
    value_ = value;
    if (value.array) count_ = std::to_string(value.count.elements);
    ++times_;
  }
  /// The length as text; empty where it is missing. null is a missing length, as a missing key is.
  std::string_view text() const {
    if (value_.array) return count_;
    const std::string_view token = trim(value_.token);
    return token == "null" ? std::string_view{} : token;
  }
  bool is_text() const { return value_.token.starts_with('"'); }
  std::string_view characters() const { return value_.text; }  ///< of a text
  bool nested() const { return value_.count.nested; }
  /// Whether the value, if there is one, is all there is to it.
  bool is_plain() const { return times_ <= 1 && !value_.array && !value_.token.starts_with('{'); }
  std::string_view token() const { return trim(value_.token); }
  unsigned times() const { return times_; }  ///< how often the key stands in the record

 private:
  /// A key that really has dots in its name.
  bool is_whole(json::Key key, std::size_t depth) const { return depth == 0 && key == std::string_view(key_); }

  std::string key_;
  std::array<std::string_view, kDeepestKey> part_;
  std::size_t parts_ = 0;
  FieldValue value_;
  std::string count_;
  unsigned times_ = 0;
};

FieldValue take_value(json::Value value) {
  FieldValue result{.token = value.token()};
  result.array = result.token.starts_with('[');
  if (result.array) result.count = value.count_elements();
  if (result.token.starts_with('"')) result.text = value.take_text();
  return result;
}

/// Walks every key of an object, so that one that stands there twice is found.
void find_keys(json::Value object, std::span<KeyFinder* const> finders, std::size_t depth) {
  object.for_each_member([&](json::Key key, json::Value value) {
    std::optional<FieldValue> taken;  // once: a value can be walked only once
    std::array<KeyFinder*, 2> inside{};
    std::size_t descending = 0;
    for (KeyFinder* const finder : finders) {
      if (!finder->wants(key, depth)) continue;
      if (!finder->ends_at(key, depth)) {
        inside[descending++] = finder;
        continue;
      }
      if (!taken) taken = take_value(value);
      finder->found(*taken);
    }
    if (!taken && descending > 0 && value.is_object())
      find_keys(value, std::span(inside.data(), descending), depth + 1);
  });
}

class FieldRecord : public JsonRecord {
 public:
  FieldRecord(const std::string& src, const std::string& tgt) : src_(src), tgt_(tgt), count_(tgt.empty() ? 1 : 2) {}

  void walk(json::Value record) override {
    forget();
    find_keys(record, std::span(finders_.data(), count_), 0);
  }

  bool list_values(std::vector<json::WantedValue>& values) const override {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!finders_[i]->is_plain()) return false;
      if (finders_[i]->times() > 0) values.emplace_back(i, finders_[i]->token());
    }
    return true;
  }
  void forget() override {
    for (KeyFinder* const finder : finders_) finder->forget();
  }
  void take(std::span<const json::WantedValue> values) override {
    for (const json::WantedValue& value : values) {
      finders_[value.id()]->forget();
      finders_[value.id()]->found({.token = value.raw(), .text = value.is_text() ? value.text() : std::string_view{}});
    }
  }

  void store(std::uint64_t line, RowSink& rows) const override {
    for (const KeyFinder* const finder : finders_) {
      if (finder->times() > 1)
        return rows.corrupt(line, "the key stands there " + std::to_string(finder->times()) + " times", finder->key());
      if (finder->nested() && rows.asked_field().empty())
        return rows.corrupt(
            line, "is an array of arrays, not one sequence; with --length-field its elements are counted all the same",
            finder->key());
    }
    std::string src_tokens, tgt_tokens;
    if (count_ == 2)
      rows.add(line, length_of(src_, rows.is_target(), rows, src_tokens), length_of(tgt_, true, rows, tgt_tokens));
    else
      rows.add(line, length_of(src_, rows.is_target(), rows, src_tokens));
  }

 private:
  /// Text counts where there is a tokenizer to count with; `tokens` holds the number then.
  static std::string_view length_of(const KeyFinder& finder, bool target_side, RowSink& rows, std::string& tokens) {
    if (!finder.is_text() || !rows.has_tokenizer()) return finder.text();
    return tokens = std::to_string(rows.count_tokens(finder.characters(), target_side));
  }

  KeyFinder src_, tgt_;
  std::array<KeyFinder*, 2> finders_{&src_, &tgt_};
  std::size_t count_;
};

/// Names of other columns would be no help where the first line is not even JSON.
void check_first_line(Input& input) {
  const std::string_view head = input.head(), line = first_line(head);
  const bool cut = line.data() + line.size() == head.data() + head.size() && input.size() != head.size();
  if (!cut) require_json_object(line, input.name());
}

void choose_fields(Input& input, RowSink& sink) {
  if (!json::is_array(input.head())) check_first_line(input);
  std::vector<std::string> keys = json::FirstRecord(input.head()).keys();
  // A key that was asked for may be dotted; the records will show whether it is there.
  const std::string tgt = sink.asked_target_field();
  if (!tgt.empty() && std::find(keys.begin(), keys.end(), tgt) == keys.end()) keys.push_back(tgt);
  choose_columns(keys, 1, sink);
}

}  // namespace

void read_json_fields(Input& input, RowSink& sink, const std::string& src, const std::string& tgt) {
  read_json_records(input, sink, [&] { return std::make_unique<FieldRecord>(src, tgt); });
}

void read_usual_json_fields(Input& input, RowSink& sink) {
  std::string src = sink.asked_field(), tgt = sink.asked_target_field();
  if (src.empty()) {
    choose_fields(input, sink);
    src = sink.src_field();
    tgt = sink.tgt_field();
  }
  sink.set_columns(src, tgt);
  read_json_fields(input, sink, src, tgt);
}

void read_json_field(Input& input, RowSink& sink, const std::string& usual) {
  const std::string src = sink.asked_field().empty() ? usual : sink.asked_field();
  const std::string tgt = sink.asked_target_field();
  sink.set_columns(src, tgt);
  read_json_fields(input, sink, src, tgt);
}

}  // namespace seqpoint
