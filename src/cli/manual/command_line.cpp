#include "cli/manual/command_line.hpp"

#include <algorithm>

#include "cli/split.hpp"

namespace seqpoint::cli::manual {
namespace {

OptionEntry entry_of(const options::OptionRow& row) {
  return {.names = row.is_positional() ? std::vector<std::string>() : split(row.names, ','),
          .placeholder = row.value.placeholder,
          .default_value = row.value.default_text,
          .help = row.help,
          .group = row.group,
          .required = row.required,
          .repeatable = row.value.repeatable,
          .kind = options::kind_of(row.value),
          .completions = row.value.choices ? row.value.choices() : std::vector<options::Choice>()};
}

CommandEntry entry_of(const std::string& name, const std::string& summary, const std::string& footer,
                      const options::OptionRows& rows) {
  CommandEntry entry{.name = name, .summary = summary, .footer = footer, .positionals = {}, .options = {}};
  for (const options::OptionRow& row : rows)
    (row.is_positional() ? entry.positionals : entry.options).push_back(entry_of(row));
  return entry;
}

}  // namespace

CommandLine describe(const options::ProgramSpec& program) {
  CommandLine line{.program = entry_of("seqpoint", program.summary, program.footer, program.options), .commands = {}};
  const auto add = [&](const options::CommandSpec& command) {
    line.commands.push_back(entry_of(command.name, command.summary, command.footer, command.options()));
  };
  std::for_each(program.commands.begin(), program.commands.end(), add);
  add(program.help);
  // Commands may be completed where commands are named.
  for (CommandEntry& command : line.commands)
    for (OptionEntry& positional : command.positionals) {
      if (positional.placeholder != "COMMAND") continue;
      positional.kind = ValueKind::listed;
      for (const CommandEntry& named : line.commands) positional.completions.push_back({named.name, named.summary});
    }
  return line;
}

}  // namespace seqpoint::cli::manual
