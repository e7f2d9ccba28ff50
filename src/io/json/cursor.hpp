/// \file
/// JSON records read value by value, in the order of the text and without a tree. The underlying parser is
/// simdjson, which only the sources of this folder depend on.
///
/// A fault ends all loops over the record, and values taken after it are empty, so code that walks a record need not
/// check for faults: the parser returns them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/stream/input.hpp"

namespace seqpoint::io::json {

/// The fault of a text, if any.
class Fault {
 public:
  Fault() = default;
  /// The fault of a simdjson error code; 0: none. Throws bad_alloc if the code means lack of memory, which is no fault
  /// of the text.
  explicit Fault(int code);
  explicit operator bool() const { return code_ != 0; }
  /// Whether a value has another type than the one that it was taken as.
  bool is_wrong_type() const;
  /// simdjson's message.
  std::string message() const;

 private:
  int code_ = 0;  ///< simdjson's; 0: none
};

/// A function object for the duration of the call that it is passed to.
template <class... Arguments>
class Callback {
 public:
  template <class Function>
  Callback(Function&& function)  // NOLINT: implicit on purpose
      : function_(&function), call_([](const void* called, Arguments... arguments) {
          (*static_cast<const std::remove_reference_t<Function>*>(called))(arguments...);
        }) {}
  void operator()(Arguments... arguments) const { call_(function_, arguments...); }

 private:
  const void* function_;
  void (*call_)(const void* function, Arguments...);
};

/// Keys to look for in objects. Contains views: the names must outlive it.
class KeySet {
 public:
  KeySet() = default;
  KeySet(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) add(name);
  }
  /// Adds a key. Its index is the number of keys added before.
  void add(std::string_view name);
  std::size_t size() const { return keys_.size(); }
  /// The index of the first key with that name; size() if there is none.
  std::size_t index_of(std::string_view name) const;
  /// The index of the first key that equals the text from `text` (after an opening quote) to the next quote; size() if
  /// there is none. Escapes are not decoded. At least 8 bytes from `text` on, and all of a key, are readable.
  std::size_t match(const char* text) const {
    std::uint64_t word = 0;
    std::memcpy(&word, text, sizeof word);
    std::size_t which = 0;
    while (which < keys_.size() &&
           (((word ^ keys_[which].word) & keys_[which].mask) != 0 || !ends(text, keys_[which].name)))
      ++which;
    return which;
  }

 private:
  /// The first eight bytes of a key, with the closing quote if it is short: one comparison rules out most other keys.
  struct Entry {
    std::uint64_t word = 0, mask = 0;
    std::string_view name;
  };
  /// Whether `text` continues with the bytes of `name` after the first eight, and a quote. True for a shorter name, of
  /// which Entry::word contains everything.
  static bool ends(const char* text, std::string_view name) {
    return name.size() < sizeof(Entry::word) ||
           (std::equal(name.begin() + sizeof(Entry::word), name.end(), text + sizeof(Entry::word)) &&
            text[name.size()] == '"');
  }
  std::vector<Entry> keys_;
};

/// How many elements an array has.
struct ElementCount {
  std::uint64_t elements = 0;
  bool nested = false;   ///< some elements are arrays or objects
  bool objects = false;  ///< some elements are objects
};

struct OpenValue;  // ondemand.hpp

/// A value that is being read, valid during the call that it is passed to. A value that is not taken is skipped.
class Value {
 public:
  explicit Value(OpenValue& open) : open_(&open) {}

  /// The value as written, a string with its quotes, possibly with blanks after it; for an array or object only the
  /// opening bracket; empty for the outermost value of a text.
  std::string_view token() const;
  bool is_object() const { return token().starts_with('{'); }
  /// Whether an array or object is empty. Only for an array or object that is not the outermost value.
  bool is_empty() const;
  /// Whether the record has had no fault so far.
  bool good() const;

  // A value can be taken once, by one of these. It is a fault if it is of another type.

  /// A string's characters, with escapes decoded, valid until the next record is read; empty after a fault.
  std::string_view take_text();
  /// A number; 0 after a fault. A string that contains a number is a fault.
  double take_number();
  /// Counts the elements of an array, not those of arrays in it. After a fault the count is incomplete.
  ElementCount count_elements();
  /// Calls `take(which, value)` for every member of an object that has one of the keys; `which` is the key's index.
  /// Keys are compared with their escapes decoded. A repeated key is passed every time, other members are skipped.
  void for_each_member(const KeySet& keys, Callback<std::size_t, Value> take);
  /// Calls `take(value)` for every element of an array.
  void for_each_element(Callback<Value> take);

 private:
  friend class DocumentParser;
  OpenValue* open_;
};

// --- parsers that pass cursors: for JSON lines, and for inputs that are one value

/// Objects, one per line.
class RecordParser {
 public:
  RecordParser();
  ~RecordParser();
  RecordParser(const RecordParser&) = delete;
  RecordParser& operator=(const RecordParser&) = delete;

  /// The result of one line.
  struct Result {
    Fault fault;
    bool has_more_text = false;  ///< after the object, which has no fault
  };
  /// Calls `walk(value)` for the object in `text`; any other text is a fault, without a call. `walk` has to call
  /// value.for_each_member(): otherwise the members are unchecked and has_more_text is true. A fault in a member is
  /// known only after the members before it. Block::kPadding bytes after `text` have to be readable.
  Result parse(std::string_view text, Callback<Value> walk);

  /// Calls `walk` as parse() does for every one of many lines, which is faster than line by line. Returns the number of
  /// lines. Stops and returns nothing at a line that is not exactly one object, also a blank one, after calls of `walk`
  /// for the lines before it; parse() then reports the fault.
  std::optional<std::uint64_t> parse_lines(std::string_view lines, Callback<Value> walk);

 private:
  struct Parsers;
  std::unique_ptr<Parsers> parsers_;
};

/// An input that is one array.
class DocumentParser {
 public:
  /// Reads all of `input`. A byte order mark is skipped.
  explicit DocumentParser(stream::Input& input);
  ~DocumentParser();
  DocumentParser(const DocumentParser&) = delete;
  DocumentParser& operator=(const DocumentParser&) = delete;

  /// Calls `take(element)` for every element of the array. Returns the first fault: the input is no array, an element
  /// has a fault, or text follows the array.
  Fault for_each_element(Callback<Value> take);

  /// The line, 1-based, that a value begins on. To be called in the order of the text, before the value is taken. After
  /// a fault: the line of the previous call.
  std::uint64_t line_of(const Value& value);
  /// The result of the last call of line_of(); 1 before the first call.
  std::uint64_t line() const { return line_; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string text_;  ///< with padding
  std::size_t size_ = 0;
  const char* lines_counted_to_ = nullptr;  ///< lines are counted up to this position
  std::uint64_t line_ = 1;
};

/// The fault of `text` unless all of it is one valid JSON object. A cursor checks only the values that are taken.
Fault fault_of_object(std::string_view text);

}  // namespace seqpoint::io::json
