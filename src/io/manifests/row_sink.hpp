/// \file
/// Collects rows from readers, with or without a usable length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/manifests/length_column.hpp"
#include "io/manifests/manifest_file.hpp"
#include "io/manifests/manifest_rows.hpp"
#include "io/manifests/problem_list.hpp"
#include "io/manifests/token_count.hpp"

namespace seqpoint::io::manifests {

/// The rows of one file, as a reader adds them, and the problems found in it.
class RowSink {
 public:
  explicit RowSink(ManifestFile manifest);

  ManifestFile file;  ///< that the rows are of
  TokenCounter text;  ///< for formats that contain text
  ManifestRows rows;
  RowCounts counts;
  RowKeys keys;
  std::vector<InputRecord> tables;  ///< other files that were read for the manifest
  std::string choice;               ///< note on the chosen column; shown once for all files with the same note
  std::vector<std::string> notes;   ///< notes for the user about this file

  // --- columns, before the first row -------------------------------------------------------------

  /// Names the columns; an empty `tgt`: rows are not pairs. The unit is the user's, else `unit` (for the source side
  /// only), else from the column's name.
  void set_columns(const std::string& src, const std::string& tgt = {}, std::optional<lengths::LengthUnit> unit = {});
  /// For numbers that the reader computes itself, in `unit`; rows are not pairs, and columns have no names. Throws
  /// UsageError if the user names another unit.
  void set_computed(lengths::LengthUnit unit);
  const LengthColumn& src() const { return *src_; }
  bool paired() const { return tgt_.has_value(); }
  /// Name of the target column; empty if rows are not pairs.
  std::string tgt_field() const { return tgt_ ? tgt_->name() : std::string(); }

  // --- rows --------------------------------------------------------------------------------------

  /// Adds a row with its length(s) as text, from `line`. If one is not a length, the row is unusable, has the length 0
  /// on that side and, unless skip_missing is set, is a problem.
  void add(std::uint64_t line, std::string_view src);
  void add(std::uint64_t line, std::string_view src, std::string_view tgt);
  /// The same with numbers in the columns' units, read or computed. `line` 0: the format has no lines, and errors name
  /// the row, from 0.
  void add_number(std::uint64_t line, double src);
  void add_number(std::uint64_t line, double src, double tgt);
  /// Adds a row whose length in tokens was counted by the reader itself. A length above 2^32 - 1 is corrupt, and adds
  /// no row.
  void add_counted(std::uint64_t line, std::uint64_t length);
  /// Sets all rows without conversion: `lengths` are tokens, each below 2^31.
  void set_tokens(std::vector<std::uint32_t>&& lengths) { rows.src = std::move(lengths); }
  /// Adds a row of text: the number of its tokens and of the special symbols of this side.
  void add_text(std::uint64_t line, std::string_view sample) {
    add_counted(line, text.count(sample, file.is_target()));
  }
  /// Adds an unusable row, with the length 0: a problem, at `field`, unless skip_missing is set.
  void add_missing(std::uint64_t line, const std::string& problem, const std::string& field);
  /// Adds a row, with the length 0, that the manifest itself marks as unusable. Not a problem.
  void add_marked();
  /// Adds the key of the next row. If an earlier row has that key, adds a problem, even with skip_missing, and returns
  /// false.
  bool add_key(std::uint64_t line, std::string_view key);
  /// Adds a problem, even with skip_missing, for content that cannot be read as a row. Adds no row.
  void add_corrupt(std::uint64_t line, std::string problem, std::string field = {});
  /// Throws InputError, with the first 20 problems, if there are any.
  void throw_problems() const;

  // --- the file as a whole -----------------------------------------------------------------------

  void note(std::string what) { notes.push_back(std::move(what)); }
  /// Notes that the last line had no line end.
  void note_unterminated() { unterminated_ = true; }
  bool unterminated() const { return unterminated_; }
  /// Whether any number of the source column, in the column's unit, has a fraction.
  bool has_fractions() const { return has_fractions_; }

  // --- parts, for threads ------------------------------------------------------------------------

  /// An empty sink with the same columns, for some of the rows. Keys, tables and notes belong to the whole file, not to
  /// a part.
  RowSink make_part() const;
  /// Appends the rows, counts and problems of a part that begins after `lines` lines of the file.
  void append(RowSink&& part, std::uint64_t lines);
  /// Removes every row, count of rows and problem; keeps the columns, keys and notes.
  void clear();

 private:
  using Cell = LengthColumn::Cell;
  /// Converts a value of a column, as text or number; adds a problem if it is not a length.
  template <class Written>
  Cell read(std::uint64_t line, Written written, const LengthColumn& column);
  template <class Written>
  void add_cell_problem(std::uint64_t line, Written written, const LengthColumn& column);
  /// Adds a problem at `line`, for line 0 at the next row's index, unless skip_missing is set.
  void add_problem(std::uint64_t line, const std::string& field, std::string problem);
  /// Appends a row to the source side. `good`: all of the row's lengths are usable.
  [[gnu::always_inline]] void append_row(Cell src, bool good) {
    if (!good) rows.unusable.push_back(rows.size());
    has_fractions_ = has_fractions_ || src.number != static_cast<double>(static_cast<std::int64_t>(src.number));
    rows.src.push_back(src.length);
    if (file.options().keep_seconds) append_seconds(src.number);
  }
  void append_pair(Cell src, Cell tgt) {
    rows.tgt.push_back(tgt.length);
    append_row(src, src.good && tgt.good);
  }
  /// Appends a number of the source column as seconds; nothing if its unit is neither a time nor audio samples.
  void append_seconds(double number);

  std::optional<LengthColumn> src_, tgt_;  ///< src_ is always set
  ProblemList problems_;
  bool any_corrupt_ = false;  ///< whether some problem is from add_corrupt()
  bool unterminated_ = false, has_fractions_ = false;
};

/// Whether lengths, at least one, are all zero, or all equal and at least 16.
bool are_doubtful(const std::vector<std::uint32_t>& lengths);
/// Throws InputError if a side's numbers are running totals, or if the source side's unit of time is unlikely. `head`:
/// the file's first bytes, which may contain text or sizes to compare with. No check if the user has named the unit, or
/// if text was counted.
void refuse_doubtful_lengths(const RowSink&, std::string_view head);

}  // namespace seqpoint::io::manifests
