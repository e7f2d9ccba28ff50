/// \file
/// Errors and findings that a user can act on: errors in the input, the request and the output, and suspicious
/// input.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace seqpoint {

/// A place in the user's own input.
struct Where {
  std::string source;      ///< path as the user typed it; "-" is standard input
  std::uint64_t line = 0;  ///< 1-based; 0: the file as a whole
  std::string field = {};  ///< column, key or option; empty: the whole line

  std::string row() const;                                       ///< `train.csv:3`; without a line the source alone
  friend bool operator==(const Where&, const Where&) = default;  ///< member by member
};

/// One problem, at one place. A value.
struct Problem {
  Where where;       ///< in which file or option
  std::string text;  ///< the problem; no place in it, no full stop

  /// Place and text in one line: `train.csv:3: field 'duration': "x3" is not a number`. Without a line or a field, that
  /// part is left out.
  std::string message() const;
};

/// How much a finding questions the input. Where figures are only shown, all but refused ones are warnings.
enum class Severity {
  odd,       ///< unlikely, and maybe harmless
  doubtful,  ///< questions the measurements of its metric: to look at before more are made
  severe,    ///< no decision may depend on the input
  refused    ///< figures would be wrong by a factor: no input unless the user confirms it
};

/// A kind of finding: a row of the catalogue in src/core/findings.hpp.
struct FindingKind {
  std::string_view id;                ///< for programs
  Severity severity = Severity::odd;  ///< how much it questions the input
  std::string_view text;              ///< for people: names of figures, `subject` and `file` in braces
  std::string_view hint;              ///< what the user can do about it, in the imperative
};

/// The figures of a text, by their names in FindingKind::text: counts, other numbers, and names.
using Figures = std::vector<std::pair<std::string_view, std::variant<std::uint64_t, double, std::string>>>;

/// One suspicious property of the input. The user decides: nothing is left out because of it.
struct Finding {
  FindingKind kind;                                 ///< what it is
  Where place = {};                                 ///< the first place that shows it; an empty source: no file
  Figures figures = {};                             ///< figures for the text
  std::string part = {};                            ///< within the place: `iteration 5`, `step "x"`; may be empty
  std::string subject = {};                         ///< the configuration; empty: none
  bool severe = kind.severity >= Severity::severe;  ///< true: no decision may depend on the input

  bool is(const FindingKind& other) const { return kind.id == other.id; }  ///< whether it is one of that kind
};

/// A count in prose: "28,539".
std::string grouped(std::uint64_t n);
/// A number with its noun: "1 row", "28,539 rows". For every number but 1 the noun gets an "s", or "es" if it ends in s
/// or is "batch".
std::string counted(std::uint64_t n, const std::string& noun);

/// The user's input is wrong: a file cannot be read, or its content is invalid. what() is the message of the first
/// problem. Ends a command with exit status 3.
class InputError : public std::runtime_error {
 public:
  /// One problem. `hint`: a way out for the user; may be empty.
  InputError(Where where, std::string text, std::string hint = {});
  /// Several problems of one input. `unlisted`: the number of problems that are only counted. `problems` is not empty.
  InputError(std::vector<Problem> problems, std::uint64_t unlisted, std::string hint);

  const std::vector<Problem>& problems() const { return problems_; }  ///< at least one, in the order of the input
  std::uint64_t unlisted() const { return unlisted_; }                ///< number of problems in addition to problems()
  const std::string& hint() const { return hint_; }                   ///< a way out; may be empty

 private:
  std::vector<Problem> problems_;
  std::uint64_t unlisted_ = 0;
  std::string hint_;
};

/// The request is invalid: an unknown name, a value out of range, two options that exclude each other. Ends a command
/// with exit status 2.
class UsageError : public std::runtime_error {
 public:
  /// `text`: the problem, returned by what(). `hint`: a way out; may be empty.
  explicit UsageError(const std::string& text, std::string hint = {})
      : std::runtime_error(text), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }  ///< a way out; may be empty

 private:
  std::string hint_;
};

/// A parameter of the library is invalid, alone or in combination. Parameters have the names of members and of
/// OptionSpecs; texts of the library have them in backquotes, so that a program can replace them, as ours does with its
/// options.
class ParameterError : public UsageError {
 public:
  /// what() begins with the parameter in backquotes: `reason` continues after a space ("must be 1 or more"), or
  /// directly if it begins with a colon. `hint`: ways out; may be empty.
  ParameterError(std::string_view parameter, const std::string& reason, std::string hint = {});
};

/// A result could not be written; ends a command with exit status 4 (141, silently, if the reader of a pipe has gone).
class OutputError : public std::runtime_error {
 public:
  /// `target`: the path, or "standard output". `error_number`: a value of `errno`, described by what().
  OutputError(const std::string& target, int error_number);
  int error_number() const { return error_number_; }  ///< a value of `errno`
  bool closed_pipe() const;                           ///< whether the reader of a pipe has gone (EPIPE)

 private:
  int error_number_;
};

}  // namespace seqpoint
