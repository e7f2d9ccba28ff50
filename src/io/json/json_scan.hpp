/// \file
/// Finds strings, values and members of JSON text, one byte at a time. For text that may be cut off anywhere, and
/// for text that is copied unchanged; nothing here checks that the text is valid.
///
/// Positions are offsets into the given text. Nothing is read after its end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::json {

/// Text without its byte order mark and leading blanks.
std::string_view first_value(std::string_view text);

/// The text ends before the value does.
inline constexpr std::size_t kIncomplete = std::string_view::npos;

inline bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// The first position from `at` on that is not a blank; the text's size if there is none.
inline std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// The position after the closing quote of the string whose opening quote is at `at`; kIncomplete if the text ends
/// first.
std::size_t end_of_string(std::string_view text, std::size_t at);

/// The position after the value that begins at `at`; `at` if a comma, a blank or a closing bracket is there.
/// kIncomplete if the text ends first, and for a number or word that ends with the text, because it may continue.
std::size_t end_of_value(std::string_view text, std::size_t at);

/// The position of the comma or closing bracket after an element or a member's value, which begins at `at` or after
/// blanks there; the text's size if there is none.
std::size_t end_of_element(std::string_view text, std::size_t at);

/// A string without its quotes, or any other value as written, without blanks around either. Escapes are kept.
std::string_view unquoted(std::string_view token);

struct Member {
  std::string_view key;    ///< without quotes, escapes are kept
  std::string_view value;  ///< as written, without blanks around it; incomplete if the text ends inside it
};

/// The members of the object whose opening bracket is at `open`, up to its end, the end of the text or the first error.
/// None if there is another character. A repeated key is repeated here.
std::vector<Member> members(std::string_view text, std::size_t open);

/// The value of the first member with that key, at any depth of `text`, as unquoted() returns it; empty if there is
/// none, or the text ends inside the value.
std::string_view find_value(std::string_view text, std::string_view key);

/// Calls `take(element)` for every element of the array whose opening bracket is at `open`, without blanks around it;
/// the last one may be cut off by the end of the text. Returns the position of the closing bracket; the text's size if
/// there is none.
template <class Take>
std::size_t for_each_element(std::string_view text, std::size_t open, Take take) {
  for (std::size_t at = open + 1; at < text.size();) {
    const std::size_t begin = skip_blanks(text, at), end = end_of_element(text, begin);
    std::size_t last = end;
    while (last > begin && is_blank(text[last - 1])) --last;
    if (last > begin) take(text.substr(begin, last - begin));
    if (end == text.size() || text[end] == ']') return end;
    at = end + 1;
  }
  return text.size();
}

// --- the first record of an input, from its first bytes alone, which may end inside the record

/// Whether the input begins with a JSON array, of any elements, and not with a record or with text in brackets. A head
/// that ends inside the first element counts as an array if that element can be one.
bool is_array(std::string_view head);

/// The keys of an object and the positions of their values.
class FirstRecord {
 public:
  /// The record in the first line, or the first element of an array. Has no keys if that is not an object. Members
  /// after the head's end are missing.
  explicit FirstRecord(std::string_view head);

  bool empty() const { return members_.empty(); }
  /// Whether the record has the key, and the head contains at least the first byte of its value.
  bool has(std::string_view key) const { return !value(key).empty(); }
  /// The value as written, with quotes, as far as the head goes; empty if there is no such key. The first one of a
  /// repeated key.
  std::string_view value(std::string_view key) const;
  /// The keys in the order of the text, with escapes kept; a repeated key as often as it occurs.
  std::vector<std::string> keys() const;
  /// Keys whose value is a number, or null: they may contain lengths.
  std::vector<std::string> number_keys() const;
  bool has_array(std::string_view key) const { return value(key).starts_with('['); }

 private:
  std::vector<Member> members_;
};

}  // namespace seqpoint::io::json
