// The command line, told to shells and to man.
#include <array>

#include "cli/commands/command.hpp"
#include "cli/manual/command_line.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli {
namespace {

struct Shell {
  const char* name;
  std::string (*completion)(const CommandLine&);
};
constexpr std::array kShells{Shell{"bash", bash_completion}, Shell{"zsh", zsh_completion}, Shell{"fish", fish_completion}};

void write(const std::string& path, const std::string& text) {
  Output out(path);
  out.write(text);
  out.commit();
}

Exit run_completion(const CLI::App& program, const std::string& shell, const std::string& path) {
  for (const Shell& known : kShells)
    if (shell == known.name) return write(path, known.completion(describe(program))), kDone;
  throw UsageError(shell.empty() ? "a shell is missing" : "there is no completion for '" + shell + "'", "one of: bash, zsh, fish");
}

struct ManualOptions {
  std::string command, path = "-", folder;
};

void write_all(const CommandLine& line, const std::string& folder) {
  write(folder + "/seqpoint.1", manual_page(line, line.program.name));
  for (const CommandEntry& command : line.commands) write(folder + "/seqpoint-" + command.name + ".1", manual_page(line, command.name));
}

Exit run_manual(const CLI::App& program, const ManualOptions& o) {
  const CommandLine line = describe(program);
  if (!o.folder.empty() && (!o.command.empty() || o.path != "-")) throw UsageError("--all writes every page: it takes neither a command nor --output");
  if (!o.folder.empty()) return write_all(line, o.folder), kDone;
  if (o.command.empty()) return write(o.path, manual_page(line, line.program.name)), kDone;
  for (const CommandEntry& command : line.commands)
    if (command.name == o.command) return write(o.path, manual_page(line, o.command)), kDone;
  throw UsageError("there is no command '" + o.command + "'", "see `seqpoint --help`");
}

}  // namespace

void add_completion(CLI::App& command, Action& chosen) {
  auto shell = std::make_shared<std::string>(), path = std::make_shared<std::string>("-");
  command.add_option("shell", *shell, "bash, zsh or fish")->type_name("SHELL");
  command.add_option("-o,--output", *path, "write to this file; - is standard output")->type_name("FILE")->group(kOutputGroup);
  command.footer("Examples:\n"
                 "  source <(seqpoint completion bash)\n"
                 "  seqpoint completion zsh -o ~/.zfunc/_seqpoint   # a folder of fpath\n"
                 "  seqpoint completion fish -o ~/.config/fish/completions/seqpoint.fish\n"
                 "An installed seqpoint has brought them along.");
  command.callback([shell, path, &command, &chosen] {
    chosen = [shell, path, &command](Console&) { return run_completion(*command.get_parent(), *shell, *path); };
  });
}

void add_manual(CLI::App& command, Action& chosen) {
  auto o = std::make_shared<ManualOptions>();
  command.add_option("command", o->command, "Of this command; else of the program")->type_name("COMMAND");
  command.add_option("--all", o->folder, "write every page into this folder, which there must be")->type_name("DIR")->group(kOutputGroup);
  command.add_option("-o,--output", o->path, "write to this file; - is standard output")->type_name("FILE")->group(kOutputGroup);
  command.footer("Examples:\n"
                 "  seqpoint manual select | man -l -\n"
                 "  seqpoint manual --all ~/.local/share/man/man1\n"
                 "The pages say what --help says. An installed seqpoint has brought them along: man seqpoint-select.");
  command.callback([o, &command, &chosen] {
    chosen = [o, &command](Console&) { return run_manual(*command.get_parent(), *o); };
  });
}

}  // namespace seqpoint::cli
