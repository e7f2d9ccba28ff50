/// \file
/// The command line as data: what --help says of every command, for completions and manual pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/parser.hpp"

namespace seqpoint::cli::manual {

/// A word that may stand behind an option.
struct Completion {
  std::string name, summary;  ///< the summary may be empty
};

/// What stands behind an option, or for a positional.
enum class ValueKind {
  nothing,     ///< a flag
  text,        ///< anything: a number, a pattern, the name of a column
  listed,      ///< one of a list
  file,        ///< the path of a file
  named_file,  ///< NAME=FILE
  folder
};

struct OptionEntry {
  std::vector<std::string> names;  ///< with their dashes: "-o", "--output"; of a positional none
  std::string placeholder;         ///< "FILE"; of a flag empty
  std::string default_value;       ///< as --help shows it behind the placeholder; empty: none
  std::string help;
  std::string group;  ///< the heading it stands under in --help
  bool required = false;
  bool repeatable = false;
  ValueKind kind = ValueKind::nothing;
  std::vector<Completion> completions;  ///< where kind == ValueKind::listed
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

/// What an option of a command may be completed to; empty where they are not a list. Positionals go by their own names.
std::vector<Completion> completions_of(std::string_view command, std::string_view option);

/// What the placeholder of an option says that it takes. ValueKind::text for one that the table lacks.
ValueKind value_kind_of(std::string_view placeholder);

/// Completions for a shell, as a file that the shell reads.
std::string bash_completion(const CommandLine&);
std::string zsh_completion(const CommandLine&);
std::string fish_completion(const CommandLine&);

/// A manual page, as roff. `page` is "seqpoint" or a command's name, which must exist.
std::string manual_page(const CommandLine&, std::string_view page);

}  // namespace seqpoint::cli::manual
