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
  /// `text` begins with the header, which is on line `line`. Throws InputError if there is no header. `source`: name of
  /// the file, for errors.
  ReportTable(std::string source, std::string_view text, std::uint64_t line = 1);

  /// The first column of that name; nothing if there is none.
  std::optional<std::size_t> find(std::string_view normalised_name) const;
  /// The first column of that name. Throws InputError if there is none.
  std::size_t require(std::string_view normalised_name) const;
  const std::vector<std::string>& columns() const { return columns_; }  ///< as written
  /// Allows rows to end after that column; later fields are then empty. By default a row has a field for every column.
  void require_no_more_than(std::size_t column) { least_fields_ = column + 1; }
  /// Moves to the next row. False at the end, and at a line that is not a row of this table (too few fields, or a
  /// header): rest() begins with that line, and the next call continues after it.
  bool next();
  /// Moves to the next row of a file that contains this table only; false at the end. Repeated headers are skipped,
  /// other lines too, and counted; throws InputError if another table begins.
  bool next_of_only_table();
  /// A note on lines with too few fields that were skipped; empty: there are none.
  std::string passed_over() const;
  std::uint64_t line() const { return splitter_.line(); }
  /// The field of the current row, with doubled quotes decoded; empty if the row ends before it.
  std::string text(std::size_t column) const { return text::unquoted(raw(column)); }
  /// The field of the current row, with doubled quotes kept; empty if the row ends before it.
  std::string_view raw(std::size_t column) const {
    return column < splitter_.fields().size() ? splitter_.fields()[column] : std::string_view();
  }
  /// After next() returned false: the text from the line that is not a row on; empty at the end.
  std::string_view rest() const { return rest_; }
  const std::string& source() const { return source_; }
  /// Throws InputError at that column of the current row.
  [[noreturn]] void fail(std::size_t column, const std::string& problem, const std::string& hint = {}) const;

 private:
  std::string source_;
  text::RecordSplitter splitter_;
  std::vector<std::string> columns_, names_;
  std::size_t least_fields_ = 0;
  std::string_view rest_;
  std::uint64_t passed_over_ = 0, first_passed_over_ = 0;  ///< lines, and the first of them
};

/// The text from a header on, and the header's line, 1-based.
struct HeaderPlace {
  std::string_view text;
  std::uint64_t line = 1;
};
/// The first line that `is_header` accepts; nothing if there is none. `first_line`: number of the first line of `text`.
std::optional<HeaderPlace> find_header(std::string_view text, bool (*is_header)(std::string_view line),
                                       std::uint64_t first_line = 1);

}  // namespace seqpoint::io::profiles::engine
