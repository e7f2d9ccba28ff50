/// \file
/// A CSV of numbers, such as traces and profiles: a header, known columns by name or alias, and all other columns
/// as metrics.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/trace.hpp"
#include "io/manifests/problem_list.hpp"
#include "io/text/csv.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::text {

/// The largest length or batch size.
inline constexpr std::uint64_t kMaxLength = std::numeric_limits<std::uint32_t>::max();

/// Whether a column of that name can be a metric (CLI: reserved names cannot).
bool is_reserved_column(std::string_view canonical_name);

/// Whether a column contains the iteration of a row, by any of its names.
bool is_key_column(std::string_view name);

/// Comma-, semicolon- or tab-separated, by its header.
Dialect dialect_of(std::string_view head);

/// The header and rows of a CSV, every row checked for its number of fields.
class CsvTable {
 public:
  /// Throws InputError for an empty input and for a duplicate column.
  explicit CsvTable(stream::Input& input);

  std::optional<std::size_t> find(std::string_view canonical_name) const;
  const std::vector<std::string>& columns() const { return columns_; }  ///< canonical names
  /// Columns that may be metrics, by index.
  std::vector<std::size_t> statistic_columns() const;

  /// False at the end. A row with too few or too many fields becomes a problem and is skipped.
  bool next();
  std::uint64_t line() const { return records_.line(); }
  std::string_view field(std::size_t column) const {
    return decimal_comma_ ? converted_fields_[column] : records_.fields()[column];
  }
  /// A whole number up to `most`; anything else becomes a problem, and 0 is returned.
  std::uint64_t integer(std::size_t column, std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> 11U);
  /// The same; nothing for anything else.
  std::optional<std::uint64_t> optional_integer(std::size_t column, std::uint64_t most) const;
  void problem(std::size_t column, std::string text);
  bool unterminated() const { return records_.unterminated(); }
  manifests::ProblemList& problems() { return problems_; }
  std::uint64_t rows() const { return rows_; }

 private:
  void convert_decimal_commas();

  std::string source_;
  RecordReader records_;
  std::vector<std::string> columns_;
  manifests::ProblemList problems_;
  std::uint64_t rows_ = 0;
  bool decimal_comma_ = false;  ///< semicolons between fields: a comma is the decimal separator, as in spreadsheets
  std::vector<std::string> converted_fields_;  ///< the fields of the current record, with decimal points
};

/// Distinct texts of a column, each with its first line.
using DistinctTexts = std::vector<std::pair<std::string, std::uint64_t>>;
/// Adds the current row's text. Ignores empty cells, and a missing column.
void add_distinct(const CsvTable&, const std::optional<std::size_t>& column, DistinctTexts&);

/// Collects the metrics of a table: numbers, or NaN if a cell is empty. A column in which no cell is a number is not a
/// metric; one with numbers and text is an error.
class StatisticColumns {
 public:
  explicit StatisticColumns(const CsvTable& table);
  void add_row(CsvTable& table);
  /// Names and values of the columns that are metrics. `notes` gets a line for each that is not.
  std::vector<trace::Statistic> finish(CsvTable& table, const std::string& source, std::vector<std::string>& notes);

 private:
  struct Column {
    std::size_t index;
    trace::Statistic statistic;
    bool any_number = false;
    std::uint64_t not_finite = 0;
    std::uint64_t bad_line = 0;  ///< the first cell that is neither empty nor a number; 0: none
    std::string bad_text;
  };
  std::vector<Column> columns_;
};

}  // namespace seqpoint::io::text
