// The fish completion.
#include "cli/manual/command_line.hpp"
#include "cli/manual/text.hpp"

namespace seqpoint::cli::manual {
namespace {

constexpr std::string_view kFishHead = R"~(# fish completion for seqpoint, made by `seqpoint completion fish`.

# The command that is typed is this one.
function __seqpoint_at
    set -l words (commandline -opc)
    set -l command
    set -l skip no
    for word in $words[2..-1]
        if test $skip = yes
            set skip no
        else if contains -- $word @skip@
            set skip yes
        else if not string match -q -- '-*' $word
            set command $word
            break
        end
    end
    test "$command" = "$argv[1]"
end

# NAME=FILE
function __seqpoint_named_files
    set -l typed (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
    set -l parts (string split -m 1 -- = $typed)
    if test (count $parts) = 2
        for path in (__fish_complete_path $parts[2])
            echo $parts[1]=$path
        end
    end
end

complete -c seqpoint -f
)~";

/// In single quotes.
std::string fish_quoted(std::string_view text) { return "'" + escaped(text, "'\\") + "'"; }

/// Completions for -a, each with its meaning behind a tab.
std::string list_of(const std::vector<Completion>& completions) {
  std::string list;
  for (const Completion& word : completions) {
    list += (list.empty() ? "" : " ") + word.name;
    if (!word.summary.empty()) list += "\\t" + fish_quoted(word.summary);
  }
  return fish_quoted(list);
}

std::string value_of(const OptionEntry& option) {
  switch (option.kind) {
    case ValueKind::nothing: return "";
    case ValueKind::listed: return " -x -a " + list_of(option.completions);
    case ValueKind::file: return " -r -F";
    case ValueKind::named_file: return " -x -a '(__seqpoint_named_files)'";
    case ValueKind::folder: return " -x -a '(__fish_complete_directories)'";
    case ValueKind::text: break;
  }
  return " -x";
}

std::string names_of(const OptionEntry& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text;
}

std::string lines_of(const CommandEntry& command, const std::string& name) {
  const std::string start = "complete -c seqpoint -n " + fish_quoted("__seqpoint_at " + (name.empty() ? "''" : name));
  std::string text;
  for (const OptionEntry& option : command.options)
    text += start + names_of(option) + value_of(option) + " -d " + fish_quoted(option.help) + "\n";
  for (const OptionEntry& positional : command.positionals) {
    // What follows -x and -r is about values of an option; a positional has none.
    if (positional.kind == ValueKind::listed) text += start + " -a " + list_of(positional.completions) + "\n";
    if (positional.kind == ValueKind::file) text += start + " -F\n";
    if (positional.kind == ValueKind::named_file) text += start + " -a '(__seqpoint_named_files)'\n";
  }
  return text;
}

}  // namespace

std::string fish_completion(const CommandLine& line) {
  std::vector<std::string> with_value;
  for (const OptionEntry& option : line.program.options)
    if (option.kind != ValueKind::nothing)
      with_value.insert(with_value.end(), option.names.begin(), option.names.end());
  std::string text = replaced(std::string(kFishHead), "@skip@", joined(with_value, " "));
  for (const CommandEntry& command : line.commands)
    text += "complete -c seqpoint -n " + fish_quoted("__seqpoint_at ''") + " -a " + command.name + " -d " +
            fish_quoted(command.summary) + "\n";
  text += lines_of(line.program, "");
  for (const CommandEntry& command : line.commands) text += lines_of(command, command.name);
  return text;
}

}  // namespace seqpoint::cli::manual
