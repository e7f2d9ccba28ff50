/// \file
/// Collects rows from readers, with or without a usable length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

  /// The unit is the user's, else `unit` (for the source side), else from the name.
  void set_columns(const std::string& src, const std::string& tgt = {}, std::optional<lengths::LengthUnit> unit = {});
  /// The same for numbers that the reader computes itself. Throws UsageError if the user names another unit.
  void set_computed(const std::string& src, lengths::LengthUnit unit);
  const LengthColumn& src() const { return *src_; }
  bool paired() const { return tgt_.has_value(); }
  /// Empty if rows are not pairs.
  std::string tgt_field() const { return tgt_ ? tgt_->name() : std::string(); }

  // --- rows --------------------------------------------------------------------------------------

  /// A row's length(s) as text, from `line`.
  void add(std::uint64_t line, std::string_view src);
  void add(std::uint64_t line, std::string_view src, std::string_view tgt);
  /// The same as numbers, read or computed. `line` 0: the format has no lines, and errors name the row.
  void add_number(std::uint64_t line, double src);
  void add_number(std::uint64_t line, double src, double tgt);
  /// A row whose length was counted by the reader itself.
  void add_counted(std::uint64_t line, std::uint64_t length);
  /// Rows of a column of tokens, whose lengths are numbers of 31 bits: they are added unchanged.
  void add_tokens(std::vector<std::uint32_t>&& lengths);
  /// A row of text: its tokens and the special symbols of this side.
  void add_text(std::uint64_t line, std::string_view sample) {
    add_counted(line, text.count(sample, file.is_target()));
  }
  /// A row without a length: a problem unless skip_missing is set.
  void add_missing(std::uint64_t line, const std::string& problem, const std::string& field);
  /// A row that the manifest itself marks as unusable.
  void add_marked();
  /// The key of the next row. False, and a problem is added, if an earlier row has that key.
  bool add_key(std::uint64_t line, std::string_view key);
  /// Content that cannot be read as a row: an error even with skip_missing.
  void add_corrupt(std::uint64_t line, std::string problem, std::string field = {});
  /// Throws InputError if there are problems.
  void throw_problems() const;

  // --- the file as a whole -----------------------------------------------------------------------

  void note(std::string what) { notes.push_back(std::move(what)); }
  /// Another file of the manifest was read to its end.
  void add_table(const stream::Input& input, std::string_view format, std::uint64_t rows, std::string fields = {},
                 std::string unit = {});
  /// The last line had no line end.
  void note_unterminated() { unterminated_ = true; }
  bool unterminated() const { return unterminated_; }
  /// Whether any length has a fraction.
  bool has_fractions() const { return has_fractions_; }

  // --- parts, for threads ------------------------------------------------------------------------

  /// An empty sink with the same columns, for some of the rows. Keys, tables and notes belong to the whole file, not to
  /// a part.
  RowSink make_part() const;
  /// Appends the rows of a part that begins after `lines` lines of the file.
  void append(RowSink&& part, std::uint64_t lines);
  /// Removes every row and problem.
  void clear();

 private:
  using Cell = LengthColumn::Cell;
  template <class Written>
  Cell read(std::uint64_t line, Written written, const LengthColumn& column);
  template <class Written>
  void add_cell_problem(std::uint64_t line, Written written, const LengthColumn& column);
  void add_problem(std::uint64_t line, const std::string& field, std::string problem);
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
  void append_seconds(double number);

  std::optional<LengthColumn> src_, tgt_;  ///< src_ is always set
  ProblemList problems_;
  bool any_corrupt_ = false;  ///< whether some problem is from add_corrupt()
  bool unterminated_ = false, has_fractions_ = false;
};

/// Whether lengths are all zero, or all equal although there are many.
bool are_doubtful(const std::vector<std::uint32_t>& lengths);

}  // namespace seqpoint::io::manifests
