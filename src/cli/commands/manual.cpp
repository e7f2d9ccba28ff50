// The command line, told to shells and to man.
#include <fmt/core.h>

#include <array>

#include "cli/commands/command.hpp"
#include "cli/manual/command_line.hpp"
#include "cli/options/exports.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::commands {
namespace {

using manual::CommandEntry;
using manual::CommandLine;

CommandLine command_line() {
  ProgramOptions none;
  return manual::describe(program(none));
}

struct CompletionOptions {
  std::string shell, output = "-";
};

struct CompletionRequest {
  manual::Shell shell;
  std::string output;
};

OptionRows rows_of(CompletionOptions& o) {
  Value shell = text_to(o.shell, "SHELL");
  shell.choices = [] {
    std::vector<Choice> all;
    for (const manual::Shell& known : manual::kShells) all.push_back({std::string(known.name), ""});
    return all;
  };
  return {{"shell", shell, "bash, zsh or fish"},
          {"-o,--output", path_to(o.output), "write to this file; - is standard output", kOutputGroup}};
}

CompletionRequest request_of(CompletionOptions o, const GivenOptions&) {
  for (const manual::Shell& shell : manual::kShells)
    if (o.shell == shell.name) return {shell, o.output};
  throw UsageError(o.shell.empty() ? "a shell is missing" : fmt::format("there is no completion for '{}'", o.shell),
                   names_hint(o.shell, row_names(manual::kShells)));
}

Exit run(CompletionRequest request, Console&) {
  write_text(request.output, request.shell.script);
  return kDone;
}

struct ManualRequest {
  std::string command;  ///< empty: the page of the program
  std::string output = "-";
  std::string folder;  ///< not empty: every page goes there
};

OptionRows rows_of(ManualRequest& o) {
  return {{"command", text_to(o.command, "COMMAND"), "Of this command; else of the program"},
          {"--all", path_to(o.folder, "DIR"), "write every page into this folder, which must exist", kOutputGroup},
          {"-o,--output", path_to(o.output), "write to this file; - is standard output", kOutputGroup}};
}

ManualRequest request_of(ManualRequest o, const GivenOptions&) {
  if (!o.folder.empty() && (!o.command.empty() || o.output != "-"))
    throw UsageError("--all writes every page: it takes neither a command nor --output");
  const std::vector<CommandEntry> commands = command_line().commands;
  const bool known = std::any_of(commands.begin(), commands.end(),
                                 [&](const CommandEntry& command) { return command.name == o.command; });
  if (!o.command.empty() && !known)
    throw UsageError(fmt::format("there is no command '{}'", o.command), names_hint(o.command, row_names(commands)));
  return o;
}

Exit run(ManualRequest request, Console&) {
  const CommandLine line = command_line();
  const auto page = [&](const std::string& command) {
    return manual_page(line, command.empty() ? line.program.name : command);
  };
  if (request.folder.empty()) return write_text(request.output, page(request.command)), kDone;
  write_text(request.folder + "/seqpoint.1", page(""));
  for (const CommandEntry& command : line.commands)
    write_text(fmt::format("{}/seqpoint-{}.1", request.folder, command.name), page(command.name));
  return kDone;
}

}  // namespace

CommandSpec completion_command() {
  return command_of<CompletionOptions, CompletionRequest>(
      "completion", "What a shell needs to complete seqpoint's commands and options",
      "Examples:\n"
      "  source <(seqpoint completion bash)\n"
      "  seqpoint completion zsh -o ~/.zfunc/_seqpoint   # a folder of fpath\n"
      "  seqpoint completion fish -o ~/.config/fish/completions/seqpoint.fish\n"
      "They are installed with seqpoint.",
      rows_of, request_of, run);
}

CommandSpec manual_command() {
  return command_of<ManualRequest, ManualRequest>(
      "manual", "The manual pages, for man",
      "Examples:\n"
      "  seqpoint manual select | man -l -\n"
      "  seqpoint manual --all ~/.local/share/man/man1\n"
      "The pages say what --help says. They are installed with seqpoint: man seqpoint-select.",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
