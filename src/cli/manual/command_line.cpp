#include "cli/manual/command_line.hpp"

#include <algorithm>

#include "cli/split.hpp"

namespace seqpoint::cli::manual {
namespace {

OptionEntry entry_of(const options::OptionRow& row, const std::string& command) {
  const std::vector<std::string> names = split(row.names, ',');
  OptionEntry entry{.names = row.is_positional() ? std::vector<std::string>() : names,
                    .placeholder = row.value.placeholder,
                    .default_value = row.value.default_text,
                    .help = row.help,
                    .group = row.group,
                    .required = row.required,
                    .repeatable = row.value.repeatable,
                    .kind = ValueKind::nothing,
                    .completions = {}};
  if (entry.placeholder.empty()) return entry;
  entry.completions = completions_of(command, names.back());
  entry.kind = entry.completions.empty() ? value_kind_of(entry.placeholder) : ValueKind::listed;
  return entry;
}

CommandEntry entry_of(const std::string& name, const std::string& summary, const std::string& footer,
                      const options::OptionRows& rows) {
  CommandEntry entry{.name = name, .summary = summary, .footer = footer, .positionals = {}, .options = {}};
  for (const options::OptionRow& row : rows)
    (row.is_positional() ? entry.positionals : entry.options).push_back(entry_of(row, name));
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
