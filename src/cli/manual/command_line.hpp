/// \file
/// The command line as data: what --help says of every command, for completions and manual pages.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/parser.hpp"

namespace seqpoint::cli::manual {

using options::ValueKind;

struct OptionEntry {
  std::vector<std::string> names;  ///< with their dashes: "-o", "--output"; of a positional none
  std::string placeholder;         ///< "FILE"; of a flag empty
  std::string default_value;       ///< as --help shows it behind the placeholder; empty: none
  std::string help;
  std::string group;  ///< the heading it stands under in --help
  bool required = false;
  bool repeatable = false;
  ValueKind kind = ValueKind::nothing;
  std::vector<options::Choice> completions;  ///< where kind == ValueKind::listed
};

struct CommandEntry {
  std::string name;     ///< "scan"; of the program itself "seqpoint"
  std::string summary;  ///< one line
  std::string footer;   ///< what --help ends with: examples first
  std::vector<OptionEntry> positionals, options;
};

struct CommandLine {
  CommandEntry program;  ///< the options before a command
  std::vector<CommandEntry> commands;
};

/// Everything that --help knows.
CommandLine describe(const options::ProgramSpec&);

/// A shell, and what it reads to complete the command line.
struct Shell {
  std::string_view name, script;
};
extern const std::array<Shell, 3> kShells;

/// What may stand in the place of the last word, which is typed up to the cursor; `words` without the program's name.
/// The form is that of completion.cpp.
std::string complete(const CommandLine&, std::span<const std::string_view> words);

/// A manual page, as roff. `page` is "seqpoint" or a command's name, which must exist.
std::string manual_page(const CommandLine&, std::string_view page);

}  // namespace seqpoint::cli::manual
