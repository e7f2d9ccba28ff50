/// \file
/// Parsers that pass cursors: for JSON lines, and for inputs that are one value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/json/cursor.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::json {

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
