/// \file
/// Finds strings, values and members of JSON text, one byte at a time. For text that may be cut off anywhere, and
/// for text that is copied unchanged; nothing here checks that the text is valid.
///
/// Positions are offsets into the given text. Nothing is read after its end.
#pragma once

#include <cstddef>
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

/// After the closing quote of the string that begins at `at`; kIncomplete if it has none.
std::size_t end_of_string(std::string_view text, std::size_t at);

/// After the value that begins at `at`; kIncomplete if the text ends first.
std::size_t end_of_value(std::string_view text, std::size_t at);

/// The comma or bracket that ends an element or a member's value, which begins at `at` with or without blanks; the
/// text's size if there is none.
std::size_t end_of_element(std::string_view text, std::size_t at);

/// A string or number without quotes and without the blanks around it. Escapes are kept.
std::string_view unquoted(std::string_view token);

struct Member {
  std::string_view key;    ///< without quotes, escapes are kept
  std::string_view value;  ///< as written, without blanks around it; incomplete if the text ends inside it
};

/// The members of the object that opens at `open`, up to the end of the text or the first error. None if no object
/// opens there.
std::vector<Member> members(std::string_view text, std::size_t open);

/// The value of the first member of that name, at any depth, unquoted(); empty if it is missing or incomplete.
std::string_view find_value(std::string_view text, std::string_view key);

/// Calls `take(element)` for every element of the array that opens at `open`, without blanks around it. Returns where
/// the array closes; the text's size if it does not.
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

}  // namespace seqpoint::io::json
