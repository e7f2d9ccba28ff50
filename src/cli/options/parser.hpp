/// \file
/// Commands as data, and the command line read by them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/exit.hpp"
#include "cli/options/option_rows.hpp"

namespace seqpoint::cli::options {

struct CommandSpec {
  std::string name, summary;
  std::string footer;  ///< what --help ends with: examples first
  LazyRows options;    ///< a command line needs those of one command
  std::function<Exit(const GivenOptions&, Console&)> run;
};

struct ProgramSpec {
  std::string summary, footer;
  OptionRows options;  ///< before a command
  std::vector<CommandSpec> commands;
  CommandSpec help;  ///< `seqpoint help`, which no message lists
};

/// `seqpoint config COMMAND ARGS...` prints a file of the options of what stands behind it.
inline constexpr auto kConfigCommand = "config";
/// The option of every command that names such a file.
inline constexpr auto kConfigOption = "--config";

/// The option of commands that have rare ones: --help with these.
inline constexpr auto kHelpAllOption = "--help-all";

/// What a command line asks for.
struct Parsed {
  std::string text;                      ///< help, or a file of options: to be shown, and nothing else; empty: none
  const CommandSpec* command = nullptr;  ///< of the program; null: none
  GivenOptions given;                    ///< its options
};

/// Puts every value where its option says: what is typed, else what a file of options has. Throws UsageError, and
/// InputError where there is no such file.
Parsed parse(const ProgramSpec&, int argc, const char* const* argv);

/// What --help says of a command, or of the program where there is no name. Throws UsageError where there is no such
/// command.
std::string help_text(const ProgramSpec&, const std::string& command);
/// "scan, select, ...", for messages.
std::string command_names(const ProgramSpec&);

/// The same for options that a file has kept, as if they were typed again; positionals and those that no row knows are
/// left out.
void take_kept(const OptionRows&, const OptionsInForce& kept);

}  // namespace seqpoint::cli::options
