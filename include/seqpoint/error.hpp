/// \file
/// The three kinds of errors that a user can act on: in the input, the command line and the output.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace seqpoint {

/// A place in the user's own input.
struct Where {
  std::string source;      ///< path as the user typed it; "-" is standard input
  std::uint64_t line = 0;  ///< 1-based; 0: the file as a whole
  std::string field = {};  ///< column, key or option; empty: the line as a whole
};

/// One thing that is wrong at one place.
struct Problem {
  Where where;
  std::string text;

  /// `train.csv:3: field 'duration': "x3" is not a number`
  std::string message() const;
};

/// "1 row", "2 rows".
std::string counted(std::uint64_t n, const std::string& noun);

/// The user's input is wrong; ends a command with exit status 3.
class InputError : public std::runtime_error {
 public:
  InputError(Where where, std::string text, std::string hint = {});
  /// Several problems of one input. `unlisted` more were found and are only counted. `problems` is not empty.
  InputError(std::vector<Problem> problems, std::uint64_t unlisted, std::string hint);

  const std::vector<Problem>& problems() const { return problems_; }
  std::uint64_t unlisted() const { return unlisted_; }
  const std::string& hint() const { return hint_; }  ///< a way out; may be empty

 private:
  std::vector<Problem> problems_;
  std::uint64_t unlisted_ = 0;
  std::string hint_;
};

/// The command line is wrong, or asks for something impossible; ends a command with exit status 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& text, std::string hint = {})
      : std::runtime_error(text), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// A result could not be written; ends a command with exit status 4 (141, silently, when the reader of a pipe has
/// gone).
class OutputError : public std::runtime_error {
 public:
  OutputError(const std::string& target, int error_number);
  int error_number() const { return error_number_; }
  bool closed_pipe() const;

 private:
  int error_number_;
};

}  // namespace seqpoint
