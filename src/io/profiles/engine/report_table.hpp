/// \file
/// Tables that profilers print: a header somewhere in the text, and columns that depend on the version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/csv.hpp"

namespace seqpoint::io::profiles::engine {

/// Lower case, without blanks, underscores and hyphens: "Med (ns)" is "med(ns)", "Kernel_Name" is "kernelname".
std::string normalised(std::string_view column);

/// A header and the rows after it. Fields are looked up by normalised name.
class ReportTable {
 public:
  /// `text` begins with the header, which is on line `line`.
  ReportTable(std::string source, std::string_view text, std::uint64_t line = 1);

  std::optional<std::size_t> find(std::string_view normalised_name) const;
  /// Throws InputError if there is no such column.
  std::size_t require(std::string_view normalised_name) const;
  const std::vector<std::string>& columns() const { return columns_; }  ///< as written
  /// Rows may end before that column: missing fields are empty.
  void require_no_more_than(std::size_t column) { least_fields_ = column + 1; }
  /// False at the end, and at a line that is not a row of this table: `rest` begins with it, and the next call
  /// continues after it.
  bool next();
  /// The next row of a file that contains this table only. Other lines are skipped and counted; throws InputError if
  /// another table begins.
  bool next_of_only_table();
  /// A note on skipped lines; empty: there are none.
  std::string passed_over() const;
  std::uint64_t line() const { return splitter_.line(); }
  std::string text(std::size_t column) const { return text::unquoted(raw(column)); }
  std::string_view raw(std::size_t column) const {
    return column < splitter_.fields().size() ? splitter_.fields()[column] : std::string_view();
  }
  std::string_view rest() const { return rest_; }
  const std::string& source() const { return source_; }
  [[noreturn]] void fail(std::size_t column, const std::string& problem, const std::string& hint = {}) const;

 private:
  std::string source_;
  text::RecordSplitter splitter_;
  std::vector<std::string> columns_, names_;
  std::size_t least_fields_ = 0;
  std::string_view rest_;
  std::uint64_t passed_over_ = 0, first_passed_over_ = 0;  ///< lines, and the first of them
};

/// The line of a header that `is_header` accepts: the text from there, and its number; nothing if there is none.
struct HeaderPlace {
  std::string_view text;
  std::uint64_t line = 1;
};
std::optional<HeaderPlace> find_header(std::string_view text, bool (*is_header)(std::string_view line),
                                       std::uint64_t first_line = 1);

}  // namespace seqpoint::io::profiles::engine
