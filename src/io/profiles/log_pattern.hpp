/// \file
/// The user's description of a log: a regular expression over its lines, with named groups for the numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/measure.hpp"
#include "io/text/decimal.hpp"

namespace re2 {
class RE2;
}

namespace seqpoint::io::profiles {

/// The content of a group of a pattern.
enum class LogField : std::uint8_t {
  step,    ///< the step of the line, or the last of several; the epoch if lines are epochs
  of,      ///< the total number of what `step` numbers, or of the epoch's if there is a group for epochs as well
  epoch,   ///< steps begin again in each
  time,    ///< the time of a step
  clock,   ///< when the line was written
  tokens,  ///< number in the step
  seqlen,  ///< the length that its samples were padded to
  rank     ///< the process that wrote the line: any text
};
inline constexpr std::size_t kLogFields = 8;

/// One match of a pattern. Views are into the text that was searched; empty: the group did not take part.
struct LogMatch {
  std::array<std::string_view, kLogFields> fields{};
  text::DecimalUnit unit = text::DecimalUnit::s;  ///< unit of the time or the clock
  std::size_t end = 0;                            ///< where the match ends in the text
  std::size_t body = 0;                           ///< end of the first of its numbers

  std::string_view operator[](LogField field) const { return fields[static_cast<std::size_t>(field)]; }
};

class LogPattern {
 public:
  /// Whether an expression describes a log's lines instead of names of steps: it has a group of a time or a clock.
  /// False for text that is not an expression.
  static bool describes_log(const std::string& expression);

  /// Throws ParameterError if the text is not an expression, lacks a required group, or has an unknown one.
  explicit LogPattern(const std::string& expression);
  ~LogPattern();
  LogPattern(LogPattern&&) noexcept;
  LogPattern& operator=(LogPattern&&) noexcept;

  /// Whether the pattern has a group for the field.
  bool has(LogField field) const;
  /// The first number of steps, or of epochs, from the group's name (`step0`, `epoch1`); nothing: it has none.
  const std::optional<std::uint64_t>& first(LogField field) const { return first_[static_cast<std::size_t>(field)]; }
  /// What LogField::step numbers.
  profile::LogUnit unit() const { return unit_; }

  /// The first match that begins at position `from` of the text or after; nothing if there is none.
  std::optional<LogMatch> find(std::string_view text, std::size_t from = 0) const;
  /// Whether the time of a match may belong to a line that begins inside the match, for example if two processes write
  /// into one line: the text from LogMatch::body on has a match with the same end.
  bool is_mixed(std::string_view text, const LogMatch& match) const;

 private:
  struct Group {
    LogField field;
    text::DecimalUnit unit;
    int number;
  };
  /// Adds a group of the expression. Throws ParameterError if its name is of no field.
  void add_group(const std::string& name, int number);
  /// Lets the groups of epochs number the lines.
  void count_epochs();
  /// Sets the number of the first step or epoch. Throws ParameterError if another group gives another number.
  void set_first(LogField field, std::uint64_t first);

  std::unique_ptr<const re2::RE2> expression_;
  std::vector<Group> groups_;
  std::array<std::optional<std::uint64_t>, kLogFields> first_{};
  profile::LogUnit unit_ = profile::LogUnit::optimiser_step;
};

}  // namespace seqpoint::io::profiles
