#include "cli/manual/command_line.hpp"

#include <CLI/CLI.hpp>

#include "cli/options/shared_options.hpp"

namespace seqpoint::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// CLI11 adds what a check says to the type's name: "WHEN:{auto,always,never}".
std::string placeholder_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

OptionEntry entry_of(const CLI::Option& option, const std::string& command) {
  OptionEntry entry{.names = names_of(option),
                    .placeholder = {},
                    .default_value = option.get_default_str(),
                    .help = option.get_description(),
                    .group = option.get_group(),
                    .required = option.get_required(),
                    .repeatable = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size,
                    .takes = Takes::nothing,
                    .words = {}};
  if (is_flag(option)) return entry;
  entry.placeholder = placeholder_of(option);
  entry.words = words_of(command, entry.names.empty() ? option.get_name(true) : entry.names.back());
  entry.takes = entry.words.empty() ? takes_of(entry.placeholder) : Takes::word;
  return entry;
}

CommandEntry entry_of(const CLI::App& app) {
  CommandEntry entry{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden from --help too
    (option->nonpositional() ? entry.options : entry.positionals).push_back(entry_of(*option, entry.name));
  }
  return entry;
}

}  // namespace

CommandLine describe(const CLI::App& program) {
  CommandLine line{entry_of(program), {}};
  for (const CLI::App* const command : program.get_subcommands([](const CLI::App*) { return true; }))
    line.commands.push_back(entry_of(*command));
  // Commands may be completed where commands are named.
  for (CommandEntry& command : line.commands)
    for (OptionEntry& positional : command.positionals) {
      if (positional.placeholder != "COMMAND") continue;
      positional.takes = Takes::word;
      for (const CommandEntry& named : line.commands) positional.words.push_back({named.name, named.summary});
    }
  return line;
}

}  // namespace seqpoint::cli
