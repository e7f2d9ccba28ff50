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

/// Whether a column identifies what a row measures: point, src_len or iteration, or an alias of these.
bool is_key_column(std::string_view name);

/// The dialect of a table, by its first line that is not blank: semicolons if it has one and neither commas nor tabs,
/// tabs if it has one and no comma, else commas.
Dialect dialect_of(std::string_view head);

/// The header and rows of a CSV, every row checked for its number of fields.
class CsvTable {
 public:
  /// Reads the header. Throws InputError for an empty input and a duplicate column, and as refuse_foreign_text().
  explicit CsvTable(stream::Input& input);

  /// The index of a column; nothing if it is missing.
  std::optional<std::size_t> find(std::string_view canonical_name) const;
  const std::vector<std::string>& columns() const { return columns_; }  ///< canonical names
  /// Indices of the columns that may be metrics: all but reserved ones, batch_size, point, and those without a name.
  std::vector<std::size_t> metric_columns() const;

  /// Reads the next row; false at the end. A row with too few or too many fields becomes a problem and is skipped.
  bool next();
  std::uint64_t line() const { return records_.line(); }
  /// A cell of the current row, with decimal points; "" inside quotes stays doubled.
  std::string_view field(std::size_t column) const {
    return decimal_comma_ ? converted_fields_[column] : records_.fields()[column];
  }
  /// A cell as a whole number from 0 to `most`, also written "64.0". Anything else becomes a problem, and 0 is
  /// returned.
  std::uint64_t integer(std::size_t column, std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> 11U);
  /// A cell as a whole number from 0 to `most`, also written "64.0"; nothing for anything else.
  std::optional<std::uint64_t> optional_integer(std::size_t column, std::uint64_t most) const;
  /// Adds a problem at a cell of the current row.
  void problem(std::size_t column, std::string text);
  bool unterminated() const { return records_.unterminated(); }
  manifests::ProblemList& problems() { return problems_; }

 private:
  void convert_decimal_commas();

  std::string source_;
  RecordReader records_;
  std::vector<std::string> columns_;
  manifests::ProblemList problems_;
  bool decimal_comma_ = false;  ///< semicolons between fields: a comma is the decimal separator, as in spreadsheets
  std::vector<std::string> converted_fields_;  ///< the fields of the current record, with decimal points
};

/// Distinct texts of a column, each with its first line.
using DistinctTexts = std::vector<std::pair<std::string, std::uint64_t>>;
/// Adds the current row's text and line, if the text is new. Ignores empty cells, and a missing column.
void add_distinct(const CsvTable&, const std::optional<std::size_t>& column, DistinctTexts&);

/// Collects the metrics of a table: numbers, or NaN if a cell is empty or not finite. A column in which no cell is a
/// number is not a metric, unless its name is that of a time. A metric with text, or with a negative or too large
/// value, is an error.
class MeasuredColumns {
 public:
  explicit MeasuredColumns(const CsvTable& table);
  void add_row(CsvTable& table);
  /// Names and values of the columns that are metrics, NaN for cells that were empty or not finite. Call once, after
  /// all rows. A column with an error (see the class) is left out, and its first invalid cell becomes a problem of the
  /// table. `notes` gets a line for each column that is not a metric, and for each with values that are not finite.
  std::vector<trace::Metric> finish(CsvTable& table, const std::string& source, std::vector<std::string>& notes);

 private:
  struct Column {
    std::size_t index;
    trace::Metric metric;
    bool any_number = false;
    std::uint64_t not_finite = 0;
    std::uint64_t bad_line = 0;  ///< line of the first invalid cell; 0: none
    std::string bad_text;
  };
  std::vector<Column> columns_;
};

}  // namespace seqpoint::io::text
