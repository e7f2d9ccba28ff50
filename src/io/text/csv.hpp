/// \file
/// Delimited text: comma-separated with quotes (RFC 4180), or tab-separated without. No allocation per field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/stream/input.hpp"

namespace seqpoint::io::text {

struct Dialect {
  char separator = ',';
  bool quotes = true;  ///< a field may be in double quotes, which then may hold separators, line ends and "" for "
};
inline constexpr Dialect kCommas{',', true};
inline constexpr Dialect kSemicolons{';', true};
inline constexpr Dialect kTabs{'\t', false};

/// The function that finds the end of the last whole record, for blocks of one of the dialects above.
stream::BlockReader::Cut cut_of(Dialect dialect);

/// Splits text into records. Blank lines are skipped.
class RecordSplitter {
 public:
  RecordSplitter(std::string_view text, Dialect dialect, std::uint64_t first_line = 1)
      : rest_(text), dialect_(dialect), next_line_(first_line) {}

  /// Splits the next record. False at the end, and for a quote that never closes or has text after it, which sets
  /// fault().
  bool next();
  /// The fields of the record that was split last; valid until the next one. Quotes are removed; "" inside stays
  /// doubled.
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::uint64_t line() const { return line_; }            ///< line of the record's beginning
  std::uint64_t next_line() const { return next_line_; }  ///< after it
  std::string_view rest() const { return rest_; }         ///< the text after it
  std::string_view fault() const { return fault_; }       ///< empty: none

 private:
  /// Splits one record, even a blank one, and removes a CR at its end.
  void split();
  /// Removes a field without quotes from the rest.
  std::string_view take_plain();
  /// Removes a quoted field from the rest and returns the text between its quotes. Sets the fault if the quote never
  /// closes or text follows it.
  std::string_view take_quoted();

  std::string_view rest_;
  Dialect dialect_;
  std::vector<std::string_view> fields_;
  std::uint64_t line_ = 0, next_line_;
  std::string_view fault_;
};
inline constexpr auto kQuoteHint =
    "write a quote inside a quoted field twice; or pass --format tsv, which has no quotes";

/// Reads the records of a whole input, on one thread.
class RecordReader {
 public:
  RecordReader(stream::Input& input, Dialect dialect);

  /// Reads the next record that is not blank. False at the end. Throws InputError for a faulty quote.
  bool next();
  const std::vector<std::string_view>& fields() const { return splitter_.fields(); }
  std::uint64_t line() const { return splitter_.line(); }
  /// Whether the last record had no line end; known at the end.
  bool unterminated() const { return blocks_.unterminated(); }

 private:
  std::string source_;
  Dialect dialect_;
  stream::BlockReader blocks_;
  stream::Block block_;
  RecordSplitter splitter_;
};

/// Position of `name` in a header; the header's size if it is missing.
std::size_t index_of(const std::vector<std::string>& names, std::string_view name);

/// The fields of a header: "" decoded, without blanks around them.
std::vector<std::string> header_names(const std::vector<std::string_view>& fields);

/// "has 3 fields, the header has 4"; empty if a record is as wide as its header.
std::string width_problem(std::size_t fields, std::size_t columns);

/// header_names() of the first record of some bytes that is not blank, after a byte order mark. Empty if there is none,
/// or a quote is faulty.
std::vector<std::string> header_fields(std::string_view head, Dialect dialect);

/// A field with "" decoded.
std::string unquoted(std::string_view field);

}  // namespace seqpoint::io::text
