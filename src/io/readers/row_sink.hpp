/// \file
/// Where readers put what they find: one row after the other, good or bad.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../tokenizer.hpp"
#include "number.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/files.hpp"
#include "seqpoint/io/readers.hpp"

namespace seqpoint {

/// Problems of an input, up to a number that a person reads; the others are counted.
class ProblemList {
 public:
  void add(Problem problem) {
    if (problems_.size() < kMostListed)
      problems_.push_back(std::move(problem));
    else
      ++unlisted_;
  }
  bool empty() const { return problems_.empty(); }
  /// Those of a part that begins after `lines` lines.
  void append(ProblemList&& part, std::uint64_t lines);
  /// Throws InputError if there are any.
  void raise(const std::string& hint) const;

 private:
  static constexpr std::size_t kMostListed = 20;
  std::vector<Problem> problems_;
  std::uint64_t unlisted_ = 0;
};

/// What a reader may use besides the manifest. Used by all threads.
struct Surroundings {
  const Files& files;
  const Tokenizer* tokenizer = nullptr;  ///< null: tokens are words
};

/// Names that rows go by, where a format has such: no two rows have the same.
struct RowKeys {
  struct Place {
    std::uint64_t row = 0, line = 0;
  };
  std::unordered_map<std::string, Place> places;
  std::vector<const std::string*> in_order;  ///< keys of `places`
};

/// What the user is told of once a file is read, counted by row.
struct Remarks {
  std::uint64_t marked = 0;       ///< rows that the manifest marks as not to be used, and that are used
  std::uint64_t sharded = 0;      ///< rows of a tarred set
  std::uint64_t other_rates = 0;  ///< audio at another sample rate than the run's
  double other_rate = 0;          ///< of the first of these, Hz
};

/// The rows of one file. A row that is bad keeps its place, so that two sides stay parallel.
class RowSink {
 public:
  /// `source`: for errors. `side`: whether the file has a partner for the other side.
  enum class Side { only, source, target };
  RowSink(std::string source, const ReadOptions& options, Side side, Surroundings surroundings);

  /// An empty sink of the same columns, for some of the rows. Keys, tables and notes are the whole file's, not a part's.
  RowSink part() const;
  /// Makes room for so many rows in all: growing step by step copies them, and takes twice the memory meanwhile.
  void reserve(std::uint64_t rows);
  /// The rows of a part that begins after `lines` lines of the file.
  void append(RowSink&& part, std::uint64_t lines);

  const std::string& source() const { return source_; }
  const ReadOptions& options() const { return options_; }
  /// The field that the user asked for on this side; empty if none was named.
  const std::string& asked_field() const;
  /// The field of the target side in the same file; empty if none was named, or the target side has a file of its own.
  std::string asked_target_field() const { return side_ == Side::only ? options_.tgt_length_field : std::string(); }
  /// Whether the file may hold both sides.
  bool may_pair() const { return side_ == Side::only; }
  bool is_target() const { return side_ == Side::target; }

  /// Names the columns before the first row. The unit is the user's, else `unit` (of the source side), else what the name
  /// says.
  void set_columns(const std::string& src, const std::string& tgt = {}, std::optional<LengthUnit> unit = {});
  /// The same for numbers that the reader works out itself. Throws UsageError where the user names another unit.
  void set_computed(const std::string& src, LengthUnit unit);
  bool paired() const { return !tgt_field_.empty(); }
  const std::string& src_field() const { return src_field_; }
  const std::string& tgt_field() const { return tgt_field_; }
  /// Forgets every row and problem.
  void clear();

  /// A row's length(s) as text, from `line`.
  void add(std::uint64_t line, std::string_view src) { add_row(convert(line, src, src_field_, src_)); keep_seconds(); }
  void add(std::uint64_t line, std::string_view src, std::string_view tgt);
  /// The same as numbers, read or worked out. `line` 0: the format has no lines, and errors name the row.
  void add_number(std::uint64_t line, double src);
  void add_number(std::uint64_t line, double src, double tgt);
  /// A row whose length was counted by the reader itself.
  void add_counted(std::uint64_t line, std::uint64_t length);
  /// A row of text: its tokens and the special symbols of this side.
  void add_text(std::uint64_t line, std::string_view text) { add_counted(line, count_tokens(text, is_target())); }
  /// A row that has no length: a problem unless such rows are to be skipped.
  void add_missing(std::uint64_t line, const std::string& text, const std::string& field);
  /// A row that the manifest itself says is not to be used.
  void add_marked();
  /// A row that cannot be read at all: never skipped silently.
  void corrupt(std::uint64_t line, std::string text, std::string field = {});
  /// What the row that comes next goes by. False, and a problem, where a row before it has that key.
  bool add_key(std::uint64_t line, std::string_view key);
  /// Something that the user should be told about this input.
  void note(std::string text) { notes_.push_back(std::move(text)); }
  /// The last line had no line end.
  void note_unterminated() { unterminated_ = true; }

  std::uint64_t rows() const { return src_lengths.size(); }
  bool unterminated() const { return unterminated_; }
  const std::vector<std::string>& notes() const { return notes_; }
  std::string fields() const { return src_field_ + (paired() ? "," + tgt_field_ : ""); }
  std::string unit() const;
  /// Throws InputError with a way out if there are problems.
  void raise_problems() const;

  std::vector<std::uint32_t> src_lengths, tgt_lengths;  ///< a bad row has 0
  std::vector<double> seconds;                          ///< of the source side; empty unless asked for and known
  std::vector<std::uint64_t> bad_rows;                  ///< ascending
  std::vector<std::uint64_t> target_rows;               ///< of the target's file, where the two were matched by key; else empty
  std::uint64_t failed = 0;  ///< rows passed over because they are no samples: requests that failed
  std::vector<std::uint64_t> marked_rows;               ///< ascending; none of them bad
  Remarks remarks;
  RowKeys keys;
  std::vector<InputRecord> tables;  ///< files beside the manifest that were read

  // --- beside the manifest ----------------------------------------------------------------------------------------------

  const Files& files() const { return surroundings_.files; }
  /// The manifest's folder; empty for standard input and for a file in the current folder.
  std::string folder() const;
  /// The path of a file that the manifest names: from its own folder or, where there is no such file, as it stands.
  std::string located(const std::string& path) const;
  /// Whether the user wants lengths from audio headers, asked by formats that have a use for them.
  bool probes_audio() {
    asked_for_audio_ = true;
    return options_.probe_audio;
  }
  bool asked_for_audio() const { return asked_for_audio_; }

  // --- text -------------------------------------------------------------------------------------------------------------

  /// Tokens of a text and the special symbols of its side.
  std::uint64_t count_tokens(std::string_view text, bool target_side);
  bool has_tokenizer() const { return surroundings_.tokenizer != nullptr; }
  /// Whether tokens were counted: without, special symbols and a tokenizer have no use.
  bool counted_text() const { return counted_text_; }

 private:
  bool convert(std::uint64_t line, std::string_view text, const std::string& field,
               const std::optional<LengthConverter>& converter);
  bool convert_number(std::uint64_t line, double number, std::string_view text, const std::string& field,
                      const std::optional<LengthConverter>& converter);
  bool refuse_number(std::uint64_t line, double number, std::string_view text, const std::string& field,
                     LengthConverter::Fault fault);
  bool refuse(std::uint64_t line, const std::string& field, std::string problem);
  void add_row(bool good) {
    if (!good) bad_rows.push_back(rows());
    src_lengths.push_back(converted_);
  }
  void add_pair(bool src_good, std::uint32_t src, bool tgt_good);
  void add_empty(bool good);
  void keep_seconds() {
    if (options_.keep_seconds) add_seconds();
  }
  void add_seconds();

  std::string source_;
  const ReadOptions& options_;  ///< outlives the sink
  Side side_;
  std::string src_field_, tgt_field_;
  LengthUnit src_unit_ = LengthUnit::as_is;
  std::optional<LengthConverter> src_, tgt_;
  std::uint32_t converted_ = 0;
  double number_ = 0;  ///< what `converted_` was made from
  ProblemList problems_;
  std::vector<std::string> notes_;
  bool corrupt_ = false, unterminated_ = false;
  Surroundings surroundings_;
  bool asked_for_audio_ = false, counted_text_ = false;
};

}  // namespace seqpoint
