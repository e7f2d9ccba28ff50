/// \file
/// The user's description of a log: a regular expression over its lines, with named groups for the numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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

/// One match of a pattern, by positions in the line.
struct LogMatch {
  struct Part {
    std::size_t begin = 0, end = 0;
  };
  std::array<Part, kLogFields> parts{};           ///< empty: the group did not take part
  text::DecimalUnit unit = text::DecimalUnit::s;  ///< unit of the time or the clock
  std::size_t end = 0;                            ///< where the match ends
  std::size_t body = 0;                           ///< end of the first of its numbers
  /// Whether its time may belong to a line that begins inside the match, for example if two processes write into one
  /// line: the line from `body` on has a match with the same end.
  bool is_mixed = false;

  /// The characters of a group in the line that has the match, or in one that differs from it in digits only.
  std::string_view text(std::string_view line, LogField field) const {
    const Part& part = parts[static_cast<std::size_t>(field)];
    return line.substr(part.begin, part.end - part.begin);
  }
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

  /// All matches in a line, in their order, none of which overlaps another.
  std::vector<LogMatch> matches(std::string_view line) const;
  /// Whether lines that differ in digits only have the same matches: no digit in the expression is a character that it
  /// looks for, but in the class 0-9.
  bool takes_any_digit() const { return takes_any_digit_; }

 private:
  struct Group {
    LogField field;
    text::DecimalUnit unit;
    int number;
  };
  /// The first match that begins at position `from` of the line or after, without LogMatch::is_mixed; nothing if there
  /// is none.
  std::optional<LogMatch> find(std::string_view line, std::size_t from) const;
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
  bool takes_any_digit_;
};

/// Finds the matches in the lines of a log. Most lines of a program differ in digits only, and what is found in one of
/// these holds for all: RE2 takes microseconds for the groups of a line.
class LogMatcher {
 public:
  /// The pattern has to outlive the object.
  explicit LogMatcher(const LogPattern& pattern) : pattern_(pattern) {}
  /// LogPattern::matches(); valid until the next call.
  const std::vector<LogMatch>& matches(std::string_view line);

 private:
  const LogPattern& pattern_;
  std::unordered_map<std::string, std::vector<LogMatch>> known_;  ///< by lines with 0 for every digit
  std::string zeros_;                                             ///< the line, likewise
  std::vector<LogMatch> single_;                                  ///< matches of a line that is not in known_
};

}  // namespace seqpoint::io::profiles
