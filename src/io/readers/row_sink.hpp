/// \file
/// Where readers put what they find: one row after the other, good or bad.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "number.hpp"
#include "seqpoint/error.hpp"
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

/// The rows of one file. A row that is bad keeps its place, so that two sides stay parallel.
class RowSink {
 public:
  /// `source`: for errors. `side`: whether the file has a partner for the other side.
  enum class Side { only, source, target };
  RowSink(std::string source, const ReadOptions& options, Side side);

  /// An empty sink of the same columns, for some of the rows.
  RowSink part() const;
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

  /// Names the columns before the first row. The unit is the user's, else `unit`, else what the name says.
  void set_columns(const std::string& src, const std::string& tgt = {}, std::optional<LengthUnit> unit = {});
  bool paired() const { return !tgt_field_.empty(); }
  const std::string& src_field() const { return src_field_; }
  const std::string& tgt_field() const { return tgt_field_; }
  /// Forgets every row and problem.
  void clear();

  /// A row's length(s) as text, from `line`.
  void add(std::uint64_t line, std::string_view src) { add_row(convert(line, src, src_field_, src_)); keep_seconds(); }
  void add(std::uint64_t line, std::string_view src, std::string_view tgt);
  /// The same as numbers. `line` 0: the format has no lines, and errors name the row.
  void add_number(std::uint64_t line, double src);
  void add_number(std::uint64_t line, double src, double tgt);
  /// A row whose length was counted by the reader itself.
  void add_counted(std::uint64_t line, std::uint64_t length);
  /// A row that cannot be read at all: never skipped silently.
  void corrupt(std::uint64_t line, std::string text, std::string field = {});
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
  std::uint64_t failed = 0;  ///< rows passed over because they are no samples: requests that failed

 private:
  bool convert(std::uint64_t line, std::string_view text, const std::string& field,
               const std::optional<LengthConverter>& converter);
  bool convert_number(std::uint64_t line, double number, std::string_view text, const std::string& field,
                      const std::optional<LengthConverter>& converter);
  bool refuse(std::uint64_t line, const std::string& field, std::string problem);
  void add_row(bool good);
  void add_pair(bool src_good, std::uint32_t src, bool tgt_good);
  void keep_seconds();

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
};

}  // namespace seqpoint
