/// \file
/// Messages for people: all on standard error, so that standard output contains the result and nothing else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/views/ci.hpp"

namespace spdlog {
class logger;
}

namespace seqpoint::cli {

/// Ascending.
enum class Verbosity {
  silent,  ///< errors only
  quiet,   ///< also warnings
  normal,  ///< also notes
  verbose  ///< also details
};

/// Columns of the name of a step, before its text: "measured   ".
inline constexpr std::size_t kStepColumns = 11;

/// Options every command has.
struct ConsoleOptions {
  int quiet = 0;  ///< number of times it was given
  bool verbose = false;
  std::string color = "auto";  ///< auto, always, never
};

/// Whose words a message has. In ours names of the library's parameters in backquotes become options; words of a job
/// that are quoted stay as they are.
enum class Words { ours, of_a_job };

class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Applies the options. Two -q win over one, -q over -v.
  void configure(const ConsoleOptions& options);
  bool verbose() const { return verbosity_ == Verbosity::verbose; }
  Verbosity verbosity() const { return verbosity_; }
  /// Whether somebody reads standard error as it is written: a terminal that can erase a line, and no -q.
  bool shows_progress() const;
  /// Whether a stream shows block characters: if it shows colours (a terminal, no NO_COLOR, --color) in a UTF-8 locale;
  /// always with --color always.
  bool shows_blocks(int file_descriptor) const;

  /// The text with PASS, FAIL and INCONCLUSIVE at the beginnings of its lines in bold colour, and the epoch of a run in
  /// bold, if the stream shows colours.
  std::string with_colored_verdicts(std::string text, int file_descriptor) const;

  // Every message is one line: control characters in it are replaced, and a very long text is abridged.

  /// Warnings and notes are passed through this function from here on.
  void set_wording(std::function<std::string(std::string)> wording) { wording_ = std::move(wording); }

  void detail(const std::string& text);  ///< with -v only
  /// With -v only: a title, and lines below it.
  void detail(const std::string& title, const std::string& lines);
  void note(const std::string& text);  ///< not with -q
  /// Not with -qq. `hint`: a way out for the user; may be empty if the text contains it. `file`: the file at which a CI
  /// job annotates the warning; empty: none.
  void warn(const std::string& text, const std::string& hint = {}, const std::string& file = {});
  /// All warnings so far, also with -qq: a CI job and a page report them.
  const std::vector<io::views::Annotation>& warnings() const { return warnings_; }
  /// Always shown. `hint`: a way out for the user; may be empty.
  void error(const std::string& text, const std::string& hint = {}, Words words = Words::ours);
  /// The outcome of a check, without a prefix, from that verbosity on. `hint`: as of error().
  void verdict(const std::string& text, const std::string& hint, Verbosity least);
  /// A line without a prefix, from that verbosity on: a completed step, or output of another program; it stays as it
  /// is.
  void line(const std::string& text, Verbosity least = Verbosity::normal);

 private:
  void say(int level, const std::string& text);  ///< with a level of spdlog
  /// The text in lines that fit into the terminal of standard error, if it is one. `prefix`: columns before it.
  std::string fitting(const std::string& text, std::size_t prefix = 0) const;

  std::shared_ptr<spdlog::logger> log_;
  Verbosity verbosity_ = Verbosity::normal;
  std::string color_;
  std::function<std::string(std::string)> wording_ = [](std::string text) { return text; };
  std::vector<io::views::Annotation> warnings_;
};

}  // namespace seqpoint::cli
