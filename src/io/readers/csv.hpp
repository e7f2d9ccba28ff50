/// \file
/// Delimited text: comma-separated with quotes (RFC 4180), or tab-separated without. No allocation per field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/io/input.hpp"

namespace seqpoint {

struct Dialect {
  char separator = ',';
  bool quotes = true;  ///< a field may be in double quotes, which then may hold separators, line ends and "" for "
};
inline constexpr Dialect kCommas{',', true};
inline constexpr Dialect kTabs{'\t', false};

/// Reads records. Blank lines are passed over.
class RecordReader {
 public:
  RecordReader(Input& input, Dialect dialect);

  /// False at the end. Throws InputError for a quote that never closes or has text behind it.
  bool next();
  /// Of the record read last; valid until the next one. Quotes are taken off; "" inside stays doubled.
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::uint64_t line() const { return line_; }  ///< where the record begins
  /// Whether the last record had no line end; known at the end.
  bool unterminated() const { return blocks_.unterminated(); }

 private:
  void split();
  std::string_view take_plain();
  std::string_view take_quoted();
  [[noreturn]] void fail(const std::string& problem) const;

  std::string source_;
  Dialect dialect_;
  BlockReader blocks_;
  std::string_view rest_;
  std::vector<std::string_view> fields_;
  std::uint64_t line_ = 0, next_line_ = 1;
};

/// The first line of some bytes as header fields, "" undone.
std::vector<std::string> header_fields(std::string_view head, Dialect dialect);

/// A field with "" undone.
std::string unquoted(std::string_view field);

}  // namespace seqpoint
