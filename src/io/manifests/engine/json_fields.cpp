// Lengths at a key of JSON records.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "io/json/json_scan.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/foreign_files.hpp"
#include "io/text/input_head.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests::engine {
namespace {

namespace json = io::json;
using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepestKey = 8;

/// The parts of a value that can give a length. Views are valid until the next record is read.
struct FieldValue {
  std::string_view token = {};  ///< as written; for an array, the opening bracket
  bool array = false;
  json::ElementCount count = {};  ///< count of the array
};

/// A dotted key, and its value in the current record.
class DottedKey {
 public:
  /// `is_number`: its values are numbers; a list of them is several rows, not a length. Throws UsageError for a key of
  /// more than 8 parts.
  DottedKey(std::string key, bool is_number) : key_(std::move(key)), is_number_(is_number) {
    std::string_view rest = key_;
    while (depth_ < kDeepestKey) {
      const auto dot = rest.find('.');
      parts_[depth_++] = rest.substr(0, dot);
      if (dot == std::string_view::npos) return;
      rest.remove_prefix(dot + 1);
    }
    throw UsageError(fmt::format("--length-field: '{}' is nested too deeply", key_));
  }
  DottedKey(const DottedKey&) = delete;
  DottedKey& operator=(const DottedKey&) = delete;

  /// The number of keys on the path to the value, at least 1.
  std::size_t depth() const { return depth_; }
  /// The key at a depth of the path, from 0.
  std::string_view part(std::size_t depth) const { return parts_[depth]; }
  const std::string& key() const { return key_; }

  /// Forgets the value.
  void clear() {
    value_ = {};
    occurrences_ = 0;
  }
  /// Stores the value at the key. A second value in the record replaces the first.
  void set(json::Value value) {
    ++occurrences_;
    value_ = {};
    value_.token = value.token();
    value_.array = value_.token.starts_with('[');
    if (value_.array) value_.count = value.count_elements();
    if (value_.array) count_text_ = std::to_string(value_.count.elements);
  }
  /// Copies the value from another, which has the same key.
  void set(const DottedKey& other) {
    ++occurrences_;
    value_ = other.value_;
    count_text_ = other.count_text_;
  }
  /// Stores the value of a line that matched a template.
  void set(const json::WantedValue& value) {
    occurrences_ = 1;
    value_ = {};
    value_.token = value.raw();
  }
  /// The length as text: the number of an array's elements, else the value as written; empty if the key is missing.
  /// null is a missing length, like a missing key.
  /// A string that is a number counts as that number, as SpeechBrain's and other tools' lists have them.
  std::string_view length_text() const {
    if (value_.array) return count_text_;
    const std::string_view token = text::trim(value_.token), inside = json::unquoted(token);
    if (text::parse_number(inside).fault == text::NumberFault::none) return inside;
    return token == "null" ? std::string_view{} : token;
  }
  /// Whether the value is a list although the key implies one number per row.
  bool is_list_of_rows() const { return value_.array && is_number_; }
  std::uint64_t elements() const { return value_.count.elements; }  ///< number of elements of an array
  /// Whether some elements of the array are arrays or objects.
  bool nested() const { return value_.count.nested; }
  /// Whether some elements of the array are objects.
  bool objects() const { return value_.count.objects; }
  /// Whether the key occurs at most once, and its value, if any, is neither array nor object.
  bool is_scalar() const { return occurrences_ <= 1 && !value_.array && !value_.token.starts_with('{'); }
  std::string_view token() const { return text::trim(value_.token); }
  unsigned occurrences() const { return occurrences_; }  ///< of the key in the record

 private:
  std::string key_;
  bool is_number_;
  std::array<std::string_view, kDeepestKey> parts_;
  std::size_t depth_ = 0;
  FieldValue value_;
  std::string count_text_;
  unsigned occurrences_ = 0;
};

/// The keys to look for at every depth, for several dotted keys at once.
class KeyTree {
 public:
  explicit KeyTree(std::span<DottedKey* const> finders) {
    for (DottedKey* const finder : finders) {
      for (std::size_t depth = 0; depth < finder->depth(); ++depth)
        add(depth, finder->part(depth), {.key = finder, .holds_length = depth + 1 == finder->depth()});
      if (finder->depth() > 1)
        add(0, finder->key(), {.key = finder, .holds_length = true});  // a key that contains dots
    }
  }
  /// Stores the values of the dotted keys in an object. Walks all of the object, so that repeated keys are counted.
  /// `finders`: those whose keys lead into the object; `depth`: how many of their parts do.
  void walk(json::Value object, std::span<DottedKey* const> finders, std::size_t depth = 0) const {
    object.for_each_member(levels_[depth].keys, [&](std::size_t which, json::Value value) {
      const DottedKey* taken = nullptr;  // only one: a value can be walked only once
      std::array<DottedKey*, 2> inside{};
      std::size_t descending = 0;
      for (const Target& target : levels_[depth].targets[which]) {
        if (std::find(finders.begin(), finders.end(), target.key) == finders.end()) continue;
        if (!target.holds_length) {
          inside[descending++] = target.key;
          continue;
        }
        if (taken != nullptr)
          target.key->set(*taken);
        else
          target.key->set(value);
        taken = target.key;
      }
      if (taken == nullptr && descending > 0 && value.is_object())
        walk(value, std::span(inside.data(), descending), depth + 1);
    });
  }

 private:
  /// A dotted key that contains this part; `holds_length`: as its last part.
  struct Target {
    DottedKey* key = nullptr;
    bool holds_length = false;
  };
  struct Level {
    json::KeySet keys;
    std::vector<std::vector<Target>> targets;  ///< targets of every key
  };
  /// Adds a key to look for in objects at `depth`, and one target of its values.
  void add(std::size_t depth, std::string_view key, Target target) {
    Level& level = levels_[depth];
    const std::size_t at = level.keys.index_of(key);
    if (at == level.keys.size()) {
      level.keys.add(key);
      level.targets.emplace_back();
    }
    level.targets[at].push_back(target);
  }

  std::array<Level, kDeepestKey> levels_;
};

/// A key for jq, in a program in single quotes: `.utts`, `."a-b"`. Empty if it would need more quotes.
std::string jq_key(std::string_view key) {
  constexpr auto kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  if (key.empty() || key.find_first_of("'\\\"") != std::string_view::npos) return "";
  const bool plain = key.find_first_not_of(kPlain) == std::string_view::npos;
  return plain ? fmt::format(".{}", key) : fmt::format(".\"{}\"", key);
}

/// The path of a dotted key, likewise.
std::string jq_path(const DottedKey& key) {
  std::string path;
  for (std::size_t depth = 0; depth < key.depth(); ++depth) {
    const std::string part = jq_key(key.part(depth));
    if (part.empty()) return "";
    path += part;
  }
  return path;
}

class FieldRecord : public JsonRecord {
 public:
  /// `asked`: the user has named the source's key. `in_array`: the records are elements of one array.
  FieldRecord(const std::string& src, const std::string& tgt, bool asked, bool in_array)
      : src_(src, names_one_number(src, asked)),
        tgt_(tgt, names_one_number(tgt, asked)),
        in_array_(in_array),
        count_(tgt.empty() ? 1 : 2) {}

  void walk(json::Value record) override {
    clear_values();
    keys_.walk(record, std::span(dotted_keys_.data(), count_));
  }

  bool list_values(std::vector<json::WantedValue>& values) const override {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!dotted_keys_[i]->is_scalar()) return false;
      if (dotted_keys_[i]->occurrences() > 0) values.emplace_back(i, dotted_keys_[i]->token());
    }
    return true;
  }
  void clear_values() override {
    for (DottedKey* const finder : dotted_keys_) finder->clear();
  }
  void set_values(std::span<const json::WantedValue> values) override {
    for (const json::WantedValue& value : values) dotted_keys_[value.id()]->set(value);
  }

  /// Adds the row. A repeated key, a list in place of one number and, unless the user names the field, an array of
  /// arrays are problems. Throws InputError for a list of objects.
  void store(std::uint64_t line, RowSink& rows) const override {
    for (const DottedKey* const finder : dotted_keys_) {
      if (finder->occurrences() > 1)
        return rows.add_corrupt(line, fmt::format("the key is there {} times", finder->occurrences()), finder->key());
      if (finder->objects())
        throw InputError({rows.file.path(), 0, finder->key()}, "is a list of objects, whose number is no length",
                         text_hint(rows.file.path()));
      if (finder->is_list_of_rows())
        return rows.add_corrupt(
            line, fmt::format("is a list of {}, not one number{}", finder->elements(), elements_hint(*finder, rows)),
            finder->key());
      if (finder->nested() && rows.file.requested_field().empty())
        return rows.add_corrupt(
            line, "is an array of arrays, not one sequence; with --length-field its elements are counted all the same",
            finder->key());
    }
    if (count_ == 2)
      rows.add(line, src_.length_text(), tgt_.length_text());
    else
      rows.add(line, src_.length_text());
  }

 private:
  /// How to make each element of the lists at a key a sample.
  std::string elements_hint(const DottedKey& key, const RowSink& rows) const {
    const std::string path = jq_path(key);
    if (path.empty()) return "";
    const std::string jq = fmt::format("jq '{}[{}] | flatten[]'", in_array_ ? ".[] | " : "", path);
    const lengths::LengthUnit unit = rows.src().unit();
    return fmt::format("; if each is a sample: {}{}", text::filtered(jq, rows.file.path(), "lengths.txt"),
                       unit == lengths::LengthUnit::as_is ? "" : fmt::format(" (--length-unit {})", name_of(unit)));
  }

  DottedKey src_, tgt_;
  bool in_array_;
  std::array<DottedKey*, 2> dotted_keys_{&src_, &tgt_};
  std::size_t count_;
  KeyTree keys_{std::span(dotted_keys_.data(), count_)};
};

// --- an input that is one object of lists: one list per column, one element per row, as in {"duration": [3.42, 11.0]}

constexpr auto kListsHint = "give one object of lists, or a record a line";

/// Parses a JSON object. Throws InputError, with the line, if `text` is not valid JSON, and if it is another value.
/// `source`: name of the file, for errors.
Json parse_document(const std::string& source, std::string_view text) {
  try {
    Json document = Json::parse(text.begin(), text.end());
    if (!document.is_object()) throw InputError({source}, "is not a JSON object", kListsHint);
    return document;
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    const auto line = 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    throw InputError({source, line}, error.byte >= text.size() ? "ends before the JSON does" : "is not valid JSON",
                     kListsHint);
  } catch (const Json::exception&) {
    throw InputError({source}, "is not valid JSON", kListsHint);
  }
}

/// The array at a top-level key of the document. Throws InputError if the key is missing or has another value.
const Json& array_at(const Json& document, const std::string& key, const std::string& source) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_array())
    throw InputError({source, 0, key}, "is missing, or no array", kListsHint);
  return *found;
}

/// Whether a value, as written, is an array that begins with a number.
bool is_list_of_numbers(std::string_view value) {
  if (!value.starts_with('[')) return false;
  const std::size_t first = json::skip_blanks(value, 1);
  return first < value.size() && std::string_view("-0123456789").find(value[first]) != std::string_view::npos;
}

/// Whether the object at the start of `text` is followed by blanks only, as far as visible.
bool is_all(std::string_view text) {
  const std::size_t end = json::end_of_value(text, 0);
  return end == json::kIncomplete || json::skip_blanks(text, end) == text.size();
}

/// Adds a row: a number is a length, null a missing length, anything else corrupt.
void add(const Json& value, const std::string& field, RowSink& sink) {
  if (value.is_number()) return sink.add_number(0, value.get<double>());
  if (value.is_null()) return sink.add_missing(0, "is missing", field);
  sink.add_corrupt(0, fmt::format("row {}: is not a number", sink.rows.size()), field);
}

/// Adds a pair of numbers; a missing row if either value is anything else.
void add_pair(const Json& src, const Json& tgt, RowSink& sink) {
  if (src.is_number() && tgt.is_number()) return sink.add_number(0, src.get<double>(), tgt.get<double>());
  sink.add_missing(0, "one side is not a number", sink.src().name());
}

/// The keys of lists of numbers whose names imply one number per row (`asked`: as in names_one_number()). None if the
/// input is not a single object, as far as its head shows. Only the first element of a list is looked at.
std::vector<std::string> lists_of_lengths(std::string_view head, bool asked) {
  const std::string_view text = json::first_value(head);
  std::vector<std::string> names;
  if (!text.starts_with('{') || !is_all(text)) return names;
  for (const json::Member& member : json::members(text, 0))
    if (is_list_of_numbers(member.value) && names_one_number(member.key, asked)) names.emplace_back(member.key);
  return names;
}

/// Reads the list at the key `src` and, for pairs, the one at `tgt` (empty: none). Each element is a row; a null is a
/// missing length. Throws InputError if a list is missing, or if the two differ in size. The sink's columns are set
/// already.
void read_lists(stream::Input& input, RowSink& sink, const std::string& src, const std::string& tgt) {
  const std::string& path = sink.file.path();
  const Json document = parse_document(path, input.read_text());
  const Json& values = array_at(document, src, path);
  if (tgt.empty()) {
    for (const Json& value : values) add(value, src, sink);
    return;
  }
  const Json& targets = array_at(document, tgt, path);
  if (values.size() != targets.size())
    throw InputError({path, 0, tgt}, fmt::format("has {} elements, '{}' has {}", targets.size(), src, values.size()),
                     "the two sides of pairs have one each");
  for (std::size_t i = 0; i < values.size(); ++i) add_pair(values[i], targets[i], sink);
}

// --- records -------------------------------------------------------------------------------------------------------

/// Whether a value, as written, gives a length: a number, also in quotes, or a list.
bool gives_length(std::string_view value) {
  return value.starts_with('[') || text::parse_number(json::unquoted(value)).fault == text::NumberFault::none;
}

/// Whether a record has a usual column of lengths, with such a value.
bool has_length(std::string_view record) {
  std::vector<std::string> names;
  for (const json::Member& member : json::members(record, 0))
    if (gives_length(member.value)) names.emplace_back(member.key);
  return !usual_length_column(names).empty();
}

/// The first element of an array, or value of an object; empty if there is none.
std::string_view first_value_in(std::string_view value) {
  if (value.starts_with('{')) {
    const std::vector<json::Member> members = json::members(value, 0);
    return members.empty() ? std::string_view{} : members.front().value;
  }
  std::string_view first;
  if (value.starts_with('['))
    json::for_each_element(value, 0, [&](std::string_view element) { first = first.empty() ? element : first; });
  return first;
}

/// How to write the samples of an object as JSON lines with jq, for errors. The samples are its own values, or those in
/// its first member that has any with a length. Without one, a general hint: no command helps.
std::string records_hint(const std::vector<json::Member>& members, const std::string& path) {
  const auto jq = [&](const std::string& samples) {
    return "write its samples as a record a line: " +
           text::filtered(fmt::format("jq -c '{}[]'", samples), path, "samples.jsonl");
  };
  if (!members.empty() && has_length(members.front().value)) return jq(".");
  for (const json::Member& member : members)
    if (const std::string key = jq_key(member.key); !key.empty() && has_length(first_value_in(member.value)))
      return jq(key);
  return "write its samples as a record a line, each with its length";
}

/// Throws InputError if the input is one object over several lines, whose first line alone would be reported as
/// damaged.
void refuse_one_object(std::string_view head, const std::string& path) {
  constexpr std::size_t kShown = 6;
  std::string_view rest = json::first_value(head);
  const std::vector<json::Member> members = json::members(rest, 0);
  const std::string_view line = stream::take_line(rest);
  if (!line.starts_with('{') || json::end_of_value(line, 0) != json::kIncomplete) return;
  const std::size_t second = json::skip_blanks(rest, 0);
  if (second == rest.size() || (rest[second] != '"' && rest[second] != '}')) return;
  if (!members.empty() && members.front().key == "schema" && members.front().value.starts_with("\"seqpoint/"))
    throw InputError({path, 1},
                     fmt::format("is a file that seqpoint wrote, {}, and no manifest", members.front().value),
                     "give the manifest that it was made from; points are for plan and project");
  std::string keys;
  for (std::size_t m = 0; m < std::min(kShown, members.size()); ++m)
    keys += fmt::format("{}'{}'", m == 0 ? "" : ", ", members[m].key);
  throw InputError({path, 1},
                   fmt::format("is one JSON object over several lines, not an array and not a record a line; its keys "
                               "begin with {}",
                               keys.empty() ? "none" : keys),
                   records_hint(members, path));
}

/// Throws InputError unless the first line is a JSON object: an error about missing keys would be misleading. A line
/// that the head does not contain whole is not checked.
void require_json_first_line(stream::Input& input) {
  const std::string_view head = input.head(), line = text::first_line(head);
  refuse_one_object(head, input.name());
  const bool cut = line.data() + line.size() == head.data() + head.size() && input.size() != head.size();
  if (!cut) require_json_object(line, input.name());
}

/// Throws InputError for a record of more than 1000 numbers, which is the whole content of another kind of file: a
/// vocabulary has any word as a key.
void refuse_mapping(const json::FirstRecord& record, const std::string& path) {
  constexpr std::size_t kMaxOfARecord = 1000;
  const std::size_t numbers = record.number_keys().size();
  if (numbers > kMaxOfARecord)
    throw InputError({path, 1}, fmt::format("is one JSON object of {} numbers or more, as a vocabulary is", numbers),
                     "give the samples, as a record a line; if each line is a sample all the same, name its field "
                     "with --length-field");
}

/// Sets the sink's columns by the usual names among the lists of one object, else among the keys of the first record.
/// Throws InputError if there are none, or if the input is not made of records.
void choose_fields(stream::Input& input, RowSink& sink) {
  refuse_mapping(json::FirstRecord(input.head()), input.name());
  if (const std::vector<std::string> lists = lists_of_lengths(input.head(), false); !usual_length_column(lists).empty())
    return choose_columns(lists, 1, sink);
  if (!json::is_array(input.head())) require_json_first_line(input);
  std::vector<std::string> keys = json::FirstRecord(input.head()).keys();
  // A key that the user names may be dotted; only the records show whether it exists.
  const std::string tgt = sink.file.requested_target_field();
  if (!tgt.empty() && std::find(keys.begin(), keys.end(), tgt) == keys.end()) keys.push_back(tgt);
  choose_columns(keys, 1, sink);
}

/// Throws InputError if `field` has a name for text and contains text in the first record: it does not contain misspelt
/// numbers.
void refuse_text(stream::Input& input, const std::string& field) {
  constexpr std::array<std::string_view, 4> kTexts{"text", "content", "prompt", "completion"};
  if (std::find(kTexts.begin(), kTexts.end(), field) == kTexts.end()) return;
  if (!json::FirstRecord(input.head()).value(field).starts_with('"')) return;
  throw InputError({input.name(), 1, field}, "holds text, whose lengths only the model's tokenizer knows",
                   text_hint(input.name()));
}

/// Reads the records' values of `src` and, unless it is empty, `tgt`; from one object of lists if the input is one.
/// The sink's columns are set already. Throws InputError if the user has named a position as `src`.
void read_json_fields(stream::Input& input, RowSink& sink, const std::string& src, const std::string& tgt) {
  const bool asked = !sink.file.requested_field().empty();
  if (asked) refuse_place(src, input.name());
  if (std::ranges::count(lists_of_lengths(input.head(), asked), src) > 0) return read_lists(input, sink, src, tgt);
  const bool in_array = json::is_array(input.head());
  read_json_records(input, sink, [&] { return std::make_unique<FieldRecord>(src, tgt, asked, in_array); });
}

}  // namespace

void read_usual_json_fields(stream::Input& input, RowSink& sink) {
  std::string src = sink.file.requested_field(), tgt = sink.file.requested_target_field();
  if (src.empty()) {
    choose_fields(input, sink);
    src = sink.src().name();
    tgt = sink.tgt_field();
  }
  refuse_text(input, src);
  sink.set_columns(src, tgt);
  read_json_fields(input, sink, src, tgt);
}

void read_json_field(stream::Input& input, RowSink& sink, const std::string& usual) {
  const std::string src = sink.file.requested_field().empty() ? usual : sink.file.requested_field();
  const std::string tgt = sink.file.requested_target_field();
  sink.set_columns(src, tgt);
  read_json_fields(input, sink, src, tgt);
}

}  // namespace seqpoint::io::manifests::engine
